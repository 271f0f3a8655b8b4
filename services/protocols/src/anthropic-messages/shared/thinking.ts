import { budgetOf, effortOf } from '../../canonical/effort.ts';
import { EFFORTS, type Reasoning } from '../../canonical/request.ts';
import type { ThinkingParameters } from '../../interface/parameters.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { type MessagesRequest, MIN_THINKING_TOKENS, type Thinking } from './schema.ts';

/** The reasoning that a client requests, and the field that sets it. */
export interface ReasoningField {
  readonly reasoning: Reasoning;
  readonly name: string;
}

/** `thinking` and `output_config.effort` together; undefined if neither is set. */
export function decodeThinking(request: MessagesRequest, diagnostics: Diagnostics): ReasoningField | undefined {
  const { thinking } = request;
  const effort = effortOfRequest(request, diagnostics);
  if (thinking === undefined || thinking === null) {
    return effort === undefined ? undefined : { reasoning: { effort }, name: 'output_config.effort' };
  }
  const name = 'thinking';
  switch (thinking.type) {
    case 'disabled':
      warnOfEffort(effort, diagnostics);
      return { reasoning: { effort: 'none' }, name };
    case 'enabled':
      warnOfEffort(effort, diagnostics);
      return { reasoning: { budgetTokens: thinking.budget_tokens, ...showOf(thinking) }, name };
    case 'between_tools':
      diagnostics.warn('thinking.type', 'treated as "disabled", since this model has no setting for when to think');
      warnOfEffort(effort, diagnostics);
      return { reasoning: { effort: 'none' }, name };
    case 'adaptive':
      return { reasoning: { adaptive: true, ...(effort !== undefined && { effort }), ...showOf(thinking) }, name };
    default:
      return thinking satisfies never;
  }
}

function effortOfRequest(request: MessagesRequest, diagnostics: Diagnostics): Reasoning['effort'] {
  const text = request.output_config?.effort;
  if (text === undefined || text === null) return undefined;
  const effort = EFFORTS.find((known) => known === text);
  if (effort === undefined) diagnostics.warn('output_config.effort', "not passed on to this model's provider");
  return effort;
}

function warnOfEffort(effort: Reasoning['effort'], diagnostics: Diagnostics): void {
  if (effort !== undefined)
    diagnostics.warn('output_config.effort', 'left out, since thinking already sets how much to think');
}

function showOf({ display }: Extract<Thinking, { type: 'enabled' | 'adaptive' }>): Pick<Reasoning, 'show'> {
  if (display === undefined || display === null) return {};
  return { show: display === 'omitted' ? 'none' : 'auto' };
}

/** The members of a request that set how much to think, and settings that depend on it. */
export interface ThinkingFields {
  readonly thinking?: JsonRecord;
  readonly output_config?: JsonRecord;
}

/** Other settings that thinking depends on. */
export interface ThinkingLimits {
  /** What the client calls it. */
  readonly name: string | undefined;
  readonly maxTokens: number;
  /** How the model's requests set it; a budget if unknown. */
  readonly rules: ThinkingParameters | undefined;
}

/** How much to think, for Anthropic: an effort for models that decide themselves, a budget for the older ones. */
export function encodeThinking(
  reasoning: Reasoning | undefined,
  limits: ThinkingLimits,
  diagnostics: Diagnostics,
): ThinkingFields {
  if (reasoning === undefined) return {};
  const control = limits.rules?.control ?? 'budget';
  const effort = control === 'effort' ? effortFor(reasoning, limits, diagnostics) : reasoning.effort;
  const isAdaptive = reasoning.adaptive === true || (control !== 'budget' && effort !== undefined);
  if (isAdaptive) return adaptiveFields(reasoning, effort, limits, diagnostics);
  return budgetFields(reasoning, limits, diagnostics);
}

/** A budget as an effort, for models without budgets. */
function effortFor(reasoning: Reasoning, { name }: ThinkingLimits, diagnostics: Diagnostics): Reasoning['effort'] {
  const { effort, budgetTokens } = reasoning;
  if (effort !== undefined || budgetTokens === undefined) return effort;
  const nearest = effortOf(budgetTokens);
  if (nearest !== 'none')
    diagnostics.warn(name, `sent as the effort "${nearest}", since this model has no budget setting`);
  return nearest;
}

function adaptiveFields(
  reasoning: Reasoning,
  effort: Reasoning['effort'],
  { name, rules }: ThinkingLimits,
  diagnostics: Diagnostics,
): ThinkingFields {
  if (effort === undefined) return { thinking: { type: 'adaptive', ...displayOf(reasoning) } };
  const canDisable = rules?.canDisable ?? true;
  if (effort === 'none' && canDisable) return { thinking: { type: 'disabled' } };
  if (effort === 'none' && rules?.betweenTools === true) {
    diagnostics.warn(name, 'sent as "between_tools", since this model can think less only in this way');
    return { thinking: { type: 'between_tools' } };
  }
  if (effort === 'none') diagnostics.warn(name, 'sent as the effort "low", since this model always thinks');
  // Anthropic's lowest effort is `low`.
  const sent = effort === 'none' || effort === 'minimal' ? 'low' : effort;
  return { thinking: { type: 'adaptive', ...displayOf(reasoning) }, output_config: { effort: sent } };
}

/** A budget must leave room for a response within the output limit; otherwise it is left out. */
function budgetFields(
  reasoning: Reasoning,
  { name, maxTokens }: ThinkingLimits,
  diagnostics: Diagnostics,
): ThinkingFields {
  const { effort } = reasoning;
  const budget = reasoning.budgetTokens ?? (effort === undefined ? undefined : budgetOf(effort));
  if (budget === undefined) {
    if (reasoning.show !== undefined) diagnostics.warn(name, 'left out, since it does not set how much to think');
    return {};
  }
  if (budget === 0) return { thinking: { type: 'disabled' } };
  const tokens = Math.max(MIN_THINKING_TOKENS, Math.min(budget, maxTokens - 1));
  if (tokens >= maxTokens) {
    diagnostics.warn(name, `left out, since thinking needs an output limit of more than ${MIN_THINKING_TOKENS} tokens`);
    return {};
  }
  return { thinking: { type: 'enabled', budget_tokens: tokens, ...displayOf(reasoning) } };
}

function displayOf({ show }: Reasoning): { readonly display?: string } {
  if (show === undefined) return {};
  return { display: show === 'none' ? 'omitted' : 'summarized' };
}

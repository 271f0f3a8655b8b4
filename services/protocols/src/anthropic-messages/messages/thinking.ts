import { budgetOf } from '../../canonical/effort.ts';
import type { EncodeNotes } from '../../canonical/encode-notes.ts';
import { EFFORTS, type Reasoning } from '../../canonical/request.ts';
import type { JsonRecord } from '../../json/record.ts';
import { type MessagesRequest, MIN_THINKING_TOKENS, type Thinking } from '../schema.ts';

/** What a client asks for, and the field that says it. */
export interface ReasoningField {
  readonly reasoning: Reasoning;
  readonly name: string;
}

/** `thinking` and `output_config.effort` together; undefined when neither is set. */
export function reasoningOfRequest(request: MessagesRequest, notes: EncodeNotes): ReasoningField | undefined {
  const { thinking } = request;
  const effort = effortOfRequest(request, notes);
  if (thinking === undefined || thinking === null) {
    return effort === undefined ? undefined : { reasoning: { effort }, name: 'output_config.effort' };
  }
  const name = 'thinking';
  switch (thinking.type) {
    case 'disabled':
      warnOfEffort(effort, notes);
      return { reasoning: { effort: 'none' }, name };
    case 'enabled':
      warnOfEffort(effort, notes);
      return { reasoning: { budgetTokens: thinking.budget_tokens, ...showOf(thinking) }, name };
    case 'between_tools':
      notes.warn('thinking.type', 'taken for "adaptive", since when to think cannot be told to this model\'s provider');
      return { reasoning: { adaptive: true, ...(effort !== undefined && { effort }) }, name };
    case 'adaptive':
      return { reasoning: { adaptive: true, ...(effort !== undefined && { effort }), ...showOf(thinking) }, name };
    default:
      return thinking satisfies never;
  }
}

function effortOfRequest(request: MessagesRequest, notes: EncodeNotes): Reasoning['effort'] {
  const text = request.output_config?.effort;
  if (text === undefined || text === null) return undefined;
  const effort = EFFORTS.find((known) => known === text);
  if (effort === undefined) notes.warn('output_config.effort', "not passed on to this model's provider");
  return effort;
}

function warnOfEffort(effort: Reasoning['effort'], notes: EncodeNotes): void {
  if (effort !== undefined) notes.warn('output_config.effort', 'left out, since thinking says how much to think');
}

function showOf({ display }: Extract<Thinking, { type: 'enabled' | 'adaptive' }>): Pick<Reasoning, 'show'> {
  if (display === undefined || display === null) return {};
  return { show: display === 'omitted' ? 'none' : 'auto' };
}

/** The members of a request that say how much to think. */
export interface ThinkingFields {
  readonly thinking?: JsonRecord;
  readonly output_config?: JsonRecord;
}

/**
 * How much to think, for Anthropic. An effort becomes a budget, which must leave room for an answer within the limit; one
 * that the limit has no room for is left out. A model that decides itself takes the effort as it is.
 */
export function thinkingFields(
  reasoning: Reasoning | undefined,
  name: string | undefined,
  maxTokens: number,
  notes: EncodeNotes,
): ThinkingFields {
  if (reasoning === undefined) return {};
  const display = displayOf(reasoning);
  const { effort, adaptive } = reasoning;
  if (adaptive === true) {
    const config =
      effort === undefined || effort === 'none' ? {} : { output_config: { effort: adaptiveEffort(effort) } };
    return { thinking: { type: 'adaptive', ...display }, ...config };
  }
  const budget = reasoning.budgetTokens ?? (effort === undefined ? undefined : budgetOf(effort));
  if (budget === undefined) {
    if (reasoning.show !== undefined) notes.warn(name, 'left out, since it does not say how much to think');
    return {};
  }
  if (budget === 0) return { thinking: { type: 'disabled' } };
  const tokens = Math.max(MIN_THINKING_TOKENS, Math.min(budget, maxTokens - 1));
  if (tokens >= maxTokens) {
    notes.warn(name, `left out, since thinking needs an output limit of more than ${MIN_THINKING_TOKENS} tokens`);
    return {};
  }
  return { thinking: { type: 'enabled', budget_tokens: tokens, ...display } };
}

/** Anthropic has no `minimal`. */
function adaptiveEffort(effort: NonNullable<Reasoning['effort']>): string {
  return effort === 'minimal' ? 'low' : effort;
}

function displayOf({ show }: Reasoning): { readonly display?: string } {
  if (show === undefined) return {};
  return { display: show === 'none' ? 'omitted' : 'summarized' };
}

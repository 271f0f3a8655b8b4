import { budgetOf, effortOf, nearestEffort } from '../../canonical/effort.ts';
import { EFFORTS, type Effort } from '../../canonical/request.ts';
import type { ModelParameters, ThinkingParameters } from '../../interface/parameters.ts';
import { isRecord, type JsonRecord } from '../../json/record.ts';
import { type Adjustment, valueAt } from '../../request/adjustment.ts';
import { MIN_THINKING_TOKENS } from './schema.ts';
import { lacksThoughts } from './thinking-turns.ts';
import { isForcedChoice } from './tool-choice.ts';

const CLAUDE_EFFORTS: readonly Effort[] = EFFORTS.filter((effort) => effort !== 'none' && effort !== 'minimal');

/** `thinking` in the form that the model accepts: a budget within its range, or adaptive thinking with an effort. */
export function adjustThinking(body: JsonRecord, { thinking: rules, efforts }: ModelParameters): Adjustment[] {
  const thinking = valueAt(body, ['thinking']);
  if (rules === undefined || !isRecord(thinking)) return [];
  switch (thinking['type']) {
    case 'enabled':
      return rules.control === 'effort' ? asEffort(body, thinking, efforts) : withinRange(body, thinking, rules);
    case 'adaptive':
      return rules.control === 'budget' ? asBudget(body, thinking, rules) : [];
    case 'disabled':
      if (rules.canDisable) return [];
      return rules.betweenTools === true ? asBetweenTools(body) : asLowestEffort(body, rules, efforts);
    case 'between_tools':
      if (rules.betweenTools === true) return [];
      return rules.canDisable ? [AS_DISABLED] : asLowestEffort(body, rules, efforts);
    default:
      return [];
  }
}

const AS_DISABLED: Adjustment = {
  path: ['thinking'],
  value: { type: 'disabled' },
  message: 'sent as "disabled", since this model has no setting for thinking between tool calls',
};

/** Anthropic accepts `between_tools` only up to the effort `high`. */
const HIGHEST_BETWEEN_TOOLS: Effort = 'high';

/** A budget as an effort. An effort that the client set itself stays. */
function asEffort(body: JsonRecord, thinking: JsonRecord, efforts: readonly Effort[] | undefined): Adjustment[] {
  const { budget_tokens: budget, display } = thinking;
  const adaptive = { type: 'adaptive', ...(display !== undefined && { display }) };
  const own = EFFORTS.find((known) => known === valueAt(body, ['output_config', 'effort']));
  const wanted = own ?? effortOf(typeof budget === 'number' ? budget : 0);
  const effort = nearestEffort(wanted, efforts ?? CLAUDE_EFFORTS);
  return [
    {
      path: ['thinking'],
      value: adaptive,
      message:
        effort === undefined
          ? 'sent as adaptive thinking, since this model has no budget setting'
          : `sent as the effort "${effort}", since this model has no budget setting`,
    },
    ...(effort === undefined || effort === own
      ? []
      : [{ path: ['output_config', 'effort'] as const, value: effort, message: undefined }]),
  ];
}

/** Adaptive thinking as a budget, with the display that was asked for. A forced call excludes a budget. */
function asBudget(body: JsonRecord, thinking: JsonRecord, rules: ThinkingParameters): Adjustment[] {
  const effort = EFFORTS.find((known) => known === valueAt(body, ['output_config', 'effort'])) ?? 'high';
  const tokens = budgetWithin(budgetOf(effort), body, rules);
  if (tokens === undefined || lacksThoughts(body['messages']) || isForcedChoice(body['tool_choice'])) {
    const message = 'left out, since this model has no adaptive thinking, and the request allows no thinking budget';
    return [{ path: ['thinking'], value: undefined, message }];
  }
  const { display } = thinking;
  return [
    {
      path: ['thinking'],
      value: { type: 'enabled', budget_tokens: tokens, ...(display !== undefined && { display }) },
      message: `sent as a budget of ${tokens} tokens, since this model has no adaptive thinking`,
    },
  ];
}

function withinRange(body: JsonRecord, thinking: JsonRecord, rules: ThinkingParameters): Adjustment[] {
  const budget = thinking['budget_tokens'];
  if (typeof budget !== 'number') return [];
  const tokens = budgetWithin(budget, body, rules);
  if (tokens === budget) return [];
  if (tokens === undefined) {
    const message = `switched off, since thinking needs an output limit of more than ${minimumOf(rules)} tokens`;
    return [{ path: ['thinking'], value: { type: 'disabled' }, message }];
  }
  return [
    {
      path: ['thinking', 'budget_tokens'],
      value: tokens,
      message: `sent as ${tokens}, which is within the model's range and below the output limit`,
    },
  ];
}

function asBetweenTools(body: JsonRecord): Adjustment[] {
  const path = ['output_config', 'effort'] as const;
  const effort = valueAt(body, path);
  const message = `sent as the effort "${HIGHEST_BETWEEN_TOOLS}", since thinking is switched off`;
  return [
    {
      path: ['thinking'],
      value: { type: 'between_tools' },
      message: 'sent as "between_tools", since this model can think less only in this way',
    },
    ...(effort === 'xhigh' || effort === 'max' ? [{ path, value: HIGHEST_BETWEEN_TOOLS, message }] : []),
  ];
}

function asLowestEffort(body: JsonRecord, rules: ThinkingParameters, efforts: readonly Effort[] | undefined) {
  const own = valueAt(body, ['output_config', 'effort']);
  const lowest = rules.control === 'budget' ? undefined : nearestEffort('none', efforts ?? CLAUDE_EFFORTS);
  const adjustments: Adjustment[] = [
    {
      path: ['thinking'],
      value: undefined,
      message:
        lowest === undefined
          ? 'left out, since this model always thinks'
          : `sent as the effort "${lowest}", since this model always thinks`,
    },
  ];
  if (lowest !== undefined && lowest !== own) {
    adjustments.push({ path: ['output_config', 'effort'], value: lowest, message: undefined });
  }
  return adjustments;
}

/** The nearest budget within the model's range and below the output limit; undefined if there is none. */
function budgetWithin(budget: number, body: JsonRecord, rules: ThinkingParameters): number | undefined {
  const limit = valueAt(body, ['max_tokens']);
  const below = typeof limit === 'number' ? limit - 1 : Number.POSITIVE_INFINITY;
  const most = Math.min(rules.maxBudgetTokens ?? Number.POSITIVE_INFINITY, below);
  const least = minimumOf(rules);
  return least > most ? undefined : Math.max(least, Math.min(budget, most));
}

function minimumOf({ minBudgetTokens }: ThinkingParameters): number {
  return minBudgetTokens ?? MIN_THINKING_TOKENS;
}

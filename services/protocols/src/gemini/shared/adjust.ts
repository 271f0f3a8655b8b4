import { budgetOf, effortOf, nearestEffort } from '../../canonical/effort.ts';
import { EFFORTS, type Effort } from '../../canonical/request.ts';
import { type ModelParameters, NO_PARAMETERS, type ThinkingParameters } from '../../interface/parameters.ts';
import { isRecord, type JsonRecord } from '../../json/record.ts';
import type { MemberPath } from '../../json/splice.ts';
import { adjustLimit, adjustSampling, adjustStops, type SamplingField } from '../../request/adjust-values.ts';
import { type Adjustment, NO_ADJUSTMENTS, valueAt } from '../../request/adjustment.ts';

/** For models that the catalogue does not describe. */
export const DEFAULT_PARAMETERS: ModelParameters = { prefill: false, maxTemperature: 2 };

const SAMPLING: readonly SamplingField[] = [
  { path: ['generationConfig', 'temperature'], kind: 'temperature', defaultValue: 1 },
  { path: ['generationConfig', 'topP'], kind: 'top_p', defaultValue: 0.95 },
  { path: ['generationConfig', 'topK'], kind: 'other', defaultValue: 64 },
  { path: ['generationConfig', 'presencePenalty'], kind: 'other', defaultValue: 0 },
  { path: ['generationConfig', 'frequencyPenalty'], kind: 'other', defaultValue: 0 },
];

const THINKING: MemberPath = ['generationConfig', 'thinkingConfig'];

/** The efforts that Google has as levels. */
export const LEVELS: readonly Effort[] = ['minimal', 'low', 'medium', 'high'];

/** The changes without which a model would reject a request, whose fields are in camel case. */
export function adjustmentsOf(body: JsonRecord, parameters: ModelParameters): readonly Adjustment[] {
  if (parameters === NO_PARAMETERS) return NO_ADJUSTMENTS;
  const level = levelIn(valueAt(body, THINKING));
  return [
    ...adjustSampling(body, SAMPLING, parameters, level),
    ...adjustThinking(body, parameters),
    ...adjustLimit(body, ['generationConfig', 'maxOutputTokens'], parameters),
    ...adjustStops(body, ['generationConfig', 'stopSequences'], parameters),
  ];
}

/** A budget or a level, in the form and the range that the model accepts. */
function adjustThinking(body: JsonRecord, { thinking: rules, efforts }: ModelParameters): Adjustment[] {
  const config = valueAt(body, THINKING);
  if (!isRecord(config)) return [];
  const { thinkingBudget: budget, thinkingLevel: _level, ...others } = config;
  const level = levelIn(config);
  if (level !== undefined) {
    if (rules?.control === 'budget') return asBudget(others, budgetOf(level), rules);
    const nearest = efforts === undefined ? level : nearestEffort(level, efforts);
    return nearest === level ? [] : asLevel(others, nearest, 'the nearest of this model');
  }
  if (typeof budget !== 'number' || rules === undefined) return [];
  if (rules.control === 'effort') {
    if (budget < 0) return [{ path: THINKING, value: emptyAsUndefined(others), message: undefined }];
    const nearest = nearestEffort(effortOf(budget), efforts ?? LEVELS);
    return asLevel(others, nearest, 'since this model has levels instead of budgets');
  }
  return budgetWithin(budget, rules) === budget ? [] : asBudget(others, budget, rules);
}

function asLevel(others: JsonRecord, level: Effort | undefined, reason: string): Adjustment[] {
  const value = level === undefined ? emptyAsUndefined(others) : { ...others, thinkingLevel: level.toUpperCase() };
  const message =
    level === undefined ? 'left out, since this model has no levels of thinking' : `sent as "${level}", ${reason}`;
  return [{ path: THINKING, value, message }];
}

function asBudget(others: JsonRecord, budget: number, rules: ThinkingParameters): Adjustment[] {
  const tokens = budgetWithin(budget, rules);
  const value = { ...others, thinkingBudget: tokens };
  return [{ path: THINKING, value, message: `sent as ${tokens} tokens, which is within the range of this model` }];
}

/** 0 switches thinking off, and -1 lets the model decide. */
function budgetWithin(budget: number, { minBudgetTokens, maxBudgetTokens, canDisable }: ThinkingParameters): number {
  if (budget < 0 || (budget === 0 && canDisable)) return budget;
  return Math.max(minBudgetTokens ?? 1, Math.min(budget, maxBudgetTokens ?? Number.POSITIVE_INFINITY));
}

function levelIn(config: unknown): Effort | undefined {
  const level = isRecord(config) ? config['thinkingLevel'] : undefined;
  return typeof level === 'string' ? EFFORTS.find((known) => known === level.toLowerCase()) : undefined;
}

function emptyAsUndefined(record: JsonRecord): JsonRecord | undefined {
  return Object.keys(record).length === 0 ? undefined : record;
}

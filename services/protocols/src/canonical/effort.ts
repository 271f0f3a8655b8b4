import { EFFORTS, type Effort } from './request.ts';

/** The thinking budget, in tokens, that corresponds to an effort, for protocols with budgets only. */
const BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 24_576,
  xhigh: 32_768,
  max: 65_536,
};

export function budgetOf(effort: Effort): number {
  return BUDGETS[effort];
}

/** The smallest effort whose budget covers these tokens. */
export function effortOf(budgetTokens: number): Effort {
  if (budgetTokens <= 0) return 'none';
  if (budgetTokens <= BUDGETS.minimal) return 'minimal';
  if (budgetTokens <= BUDGETS.low) return 'low';
  if (budgetTokens <= BUDGETS.medium) return 'medium';
  if (budgetTokens <= BUDGETS.high) return 'high';
  return budgetTokens <= BUDGETS.xhigh ? 'xhigh' : 'max';
}

/**
 * The nearest of a model's efforts, the lower one of two: it costs less. Only `none` becomes `none`, unless nothing else is
 * left. Undefined for a model without efforts.
 */
export function nearestEffort(effort: Effort, efforts: readonly Effort[]): Effort | undefined {
  const reasoning = efforts.filter((one) => one !== 'none');
  const candidates = effort === 'none' || reasoning.length === 0 ? efforts : reasoning;
  const rank = (one: Effort) => EFFORTS.indexOf(one);
  const distance = (one: Effort) => Math.abs(rank(one) - rank(effort));
  return candidates.toSorted((a, b) => distance(a) - distance(b) || rank(a) - rank(b))[0];
}

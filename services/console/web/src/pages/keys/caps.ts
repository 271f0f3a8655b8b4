import type { Item } from '../../api/client.ts';
import { exactMoney, parseMoney, shareOf } from '../../format/money.ts';

export type CapUsage = Item<'GET /accounts/{account_id}/keys'>['cap_usage'][number];

const PERIODS = { day: 'today', month: 'this month', total: 'in total' } as const;

/** `today`, `this month`, `in total` */
export function periodName(period: CapUsage['period']): string {
  return PERIODS[period];
}

/** The cap as a sentence, for screen readers and on hover. */
export function capSentence(usage: CapUsage): string {
  const parts = [`${exactMoney(usage.spent)} of ${exactMoney(usage.limit)} spent ${periodName(usage.period)}`];
  if (parseMoney(usage.held) !== 0n) parts.push(`${exactMoney(usage.held)} held`);
  parts.push(`${exactMoney(usage.left)} left`);
  return `${parts.join(', ')}.`;
}

/** The cap to show where there is room for one: the one with the smallest part left. */
export function tightestCap(usages: readonly CapUsage[]): CapUsage | undefined {
  return usages.reduce<CapUsage | undefined>((tightest, usage) => {
    if (tightest === undefined) return usage;
    return shareLeft(usage) < shareLeft(tightest) ? usage : tightest;
  }, undefined);
}

function shareLeft(usage: CapUsage): number {
  return parseMoney(usage.limit) === 0n ? 0 : shareOf(usage.left, usage.limit);
}

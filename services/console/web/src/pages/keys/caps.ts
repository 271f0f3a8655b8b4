import type { Item } from '../../api/client.ts';
import { exactMoney, parseMoney, shareOf } from '../../format/money.ts';

export type CapUsage = Item<'GET /accounts/{account_id}/keys'>['cap_usage'][number];

const PERIODS = {
  day: 'today',
  week: 'this week',
  month: 'this month',
  total: 'in total',
  session: 'in the session',
} as const;

/** `today`, `this week`, `this month`, `in total` */
export function periodName(period: CapUsage['period']): string {
  return PERIODS[period];
}

const LABELS = {
  day: 'Daily cap',
  week: 'Weekly cap',
  month: 'Monthly cap',
  total: 'Total cap',
  session: 'Limit of the session',
} as const;

/** `Daily cap` */
export function capLabel(period: CapUsage['period']): string {
  return LABELS[period];
}

const SETTERS = {
  own: null,
  project: 'Default of the project',
  owner: 'Default of the owner',
  parent_key: 'Set on a key above',
  grant: 'Granted for this period',
} as const;

/** `Default of the project`; null: it is its own. */
export function setterLabel(setBy: CapUsage['set_by']): string | null {
  return SETTERS[setBy];
}

/** The cap as a sentence, for screen readers and on hover. */
export function capSentence(usage: CapUsage): string {
  const parts = [`${exactMoney(usage.spent)} of ${exactMoney(usage.limit)} spent ${periodName(usage.period)}`];
  if (parseMoney(usage.held) !== 0n) parts.push(`${exactMoney(usage.held)} held`);
  parts.push(`${exactMoney(usage.left)} left`);
  const setter = setterLabel(usage.set_by);
  return `${parts.join(', ')}.${setter === null ? '' : ` ${setter}.`}`;
}

/** The cap to show where there is room for one: the one with the smallest part left. */
export function tightestCap(usages: readonly CapUsage[]): CapUsage | undefined {
  return usages.reduce<CapUsage | undefined>((tightest, usage) => {
    if (tightest === undefined) return usage;
    if (usage.reached !== tightest.reached) return usage.reached ? usage : tightest;
    return shareLeft(usage) < shareLeft(tightest) ? usage : tightest;
  }, undefined);
}

/** What is spent and held of the tightest cap, between 0 and 1; null without a cap. A reached cap is full. */
export function shareOfCap(usages: readonly CapUsage[]): number | null {
  const cap = tightestCap(usages);
  if (cap === undefined) return null;
  return cap.reached ? 1 : 1 - shareLeft(cap);
}

/** The cap that refuses the requests of its key: of several, the one that resets last. */
export function reachedCap(usages: readonly CapUsage[]): CapUsage | undefined {
  return usages.filter(({ reached }) => reached).at(-1);
}

function shareLeft(usage: CapUsage): number {
  return parseMoney(usage.limit) === 0n ? 0 : shareOf(usage.left, usage.limit);
}

import type { PaidIn } from '../store/accounts.ts';

const DAY_MS = 86_400_000;

/** A payment counts for the limit once it is this old: most disputes of stolen cards come before. */
export const PROVEN_AFTER_MS = 7 * DAY_MS;

/** What can be paid in is limited over this time. */
export const LIMIT_PERIOD_MS = DAY_MS;

export interface DailyLimit {
  limitNanos: bigint;
  leftNanos: bigint;
  /** What proven payments add to the base. */
  provenNanos: bigint;
}

/**
 * What an account may pay in within a day: the base, and what its proven payments are worth after refunds and disputes, or what
 * operators allow it. Refunds do not give room back.
 */
export function dailyLimit(baseNanos: bigint, { ownLimitNanos, oldNetNanos, recentNanos }: PaidIn): DailyLimit {
  const provenNanos = oldNetNanos > 0n ? oldNetNanos : 0n;
  const limitNanos = ownLimitNanos ?? baseNanos + provenNanos;
  const left = limitNanos - recentNanos;
  return { limitNanos, leftNanos: left > 0n ? left : 0n, provenNanos };
}

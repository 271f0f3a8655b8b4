import type { Lot } from './lot.ts';

const DAY_MS = 86_400_000n;

/** How long before the end of a lot notice is given, longest first. */
const NOTICES_MS = [7n * DAY_MS, DAY_MS];

/** How often a lot is looked at that has ended, and is held by open requests. */
const HELD_AGAIN_MS = 5_000n;

/** When something is first to be done after a time about a lot's end: give notice, or end it. */
export function nextDue(endsAtMs: bigint, afterMs: bigint): bigint {
  const noticeMs = NOTICES_MS.find((noticeMs) => endsAtMs - noticeMs > afterMs);
  return noticeMs === undefined ? endsAtMs : endsAtMs - noticeMs;
}

/** What is due about a lot's end. `end`: the part of it that open requests do not hold. */
export type LotStep = { kind: 'notice'; dueAtMs: bigint } | { kind: 'end'; amount: bigint; dueAtMs: bigint };

/**
 * Decides what is due about a lot with something left; undefined: nothing. Of a lot that ended, what leased credit claims stays. It
 * is then all that is left of the lot, so it can only become less, whatever is leased later.
 *
 * @param leasedShare what leased credit claims of the lot
 */
export function dueStep(lot: Lot, leasedShare: bigint, nowMs: bigint): LotStep | undefined {
  const { endsAtMs, dueAtMs, remaining } = lot;
  if (endsAtMs === undefined || dueAtMs === undefined || dueAtMs > nowMs || remaining === 0n) return undefined;
  if (nowMs < endsAtMs) return { kind: 'notice', dueAtMs: nextDue(endsAtMs, nowMs) };
  return { kind: 'end', amount: remaining - leasedShare, dueAtMs: nowMs + HELD_AGAIN_MS };
}

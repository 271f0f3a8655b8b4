import type { OfSubjects } from '../store/limits.ts';

/** A card that failed counts this long. */
export const FAILED_CARDS_MS = 6 * 3_600_000;

/**
 * So many cards may fail within the time before payments are refused. Whoever tries stolen cards needs hundreds; many people may
 * share a network.
 */
export const MAX_FAILED_CARDS: OfSubjects<number> = { account: 10, person: 10, network: 20 };

/** What is known of failed cards, and of where payments came from, is forgotten after this time. */
export const FORGET_AFTER_MS = 2 * 24 * 3_600_000;

const WHOSE: OfSubjects<string> = { account: 'in this account', person: 'for you', network: 'from your network' };

export interface Refusal {
  untilMs: number;
  reason: string;
}

/**
 * Until when payments are refused: until the failure that is one too many counts no more.
 *
 * @param nth when the card failed with which the maximum was reached, counted backwards from now; null: fewer failed
 */
export function refusalOf(nth: OfSubjects<bigint | null>): Refusal | undefined {
  const refusals = (['account', 'person', 'network'] as const).flatMap((subject) => {
    const failedAtMs = nth[subject];
    return failedAtMs === null ? [] : [{ untilMs: Number(failedAtMs) + FAILED_CARDS_MS, reason: WHOSE[subject] }];
  });
  const [last] = refusals.sort((a, b) => b.untilMs - a.untilMs);
  if (last === undefined) return undefined;
  const { untilMs, reason } = last;
  return { untilMs, reason: `too many cards failed ${reason}: try again after ${timeOf(untilMs)}` };
}

/** The next full minute, such as `2026-11-30 14:05 UTC`. */
function timeOf(ms: number): string {
  return `${new Date(Math.ceil(ms / 60_000) * 60_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

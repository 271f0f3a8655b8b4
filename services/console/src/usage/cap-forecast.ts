/** The part of a period that has to be over before its pace says something. */
const LEAST_PART = 20;

/** What is spent of a cap in a period, and when that begins and ends; Unix milliseconds. */
export interface SpentInPeriod {
  spentNanos: bigint;
  limitNanos: bigint;
  startMs: number;
  endMs: number;
  nowMs: number;
}

/**
 * When a cap is reached if the rest of its period costs as much in the same time as what is over.
 *
 * @returns undefined: it resets before, it is reached already, or too little of the period is over
 */
export function capReachedAt({ spentNanos, limitNanos, startMs, endMs, nowMs }: SpentInPeriod): number | undefined {
  const elapsedMs = nowMs - startMs;
  if (spentNanos <= 0n || spentNanos >= limitNanos || elapsedMs * LEAST_PART < endMs - startMs) return undefined;
  const afterMs = (BigInt(elapsedMs) * limitNanos) / spentNanos;
  return afterMs < BigInt(endMs - startMs) ? startMs + Number(afterMs) : undefined;
}

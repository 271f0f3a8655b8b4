import { apiErrors } from '../http/api-error.ts';

const DAY_MS = 86_400_000;

/** Maximum days of a range. */
export const MAX_DAYS = { hourlySums: 31, others: 366 } as const;

/** A range as services take it: start inclusive, end exclusive, Unix milliseconds. */
export interface TimeRange {
  startMs: bigint;
  endMs: bigint;
}

/** Reads `start` and `end` of a query. */
export function readRange({ start, end }: { start: string; end: string }, maxDays: number): TimeRange {
  const startMs = Date.parse(start);
  const endMs = Date.parse(end);
  if (startMs < 0) throw apiErrors.invalid('start', 'must not be before 1970');
  if (endMs <= startMs) throw apiErrors.invalid('end', 'must be after start');
  if (endMs - startMs > maxDays * DAY_MS)
    throw apiErrors.invalid('start', `must be at most ${maxDays} days before end`);
  return { startMs: BigInt(startMs), endMs: BigInt(endMs) };
}

import type { Ask } from '../load/messages.ts';
import type { Load } from '../parts/load.ts';
import { quantile } from '../stats/quantile.ts';
import type { MeasuredWay } from './ways.ts';

/** One round of time to first byte, in milliseconds. */
export interface FirstByteRound {
  requests: number;
  p50: number;
  p99: number;
}

/** Requests come at random moments, the same for every way of a round. */
export async function measureFirstByte(
  load: Load,
  { way }: MeasuredWay,
  ask: Ask,
  options: { ratePerSecond: number; durationMs: number; round: number },
): Promise<FirstByteRound> {
  const { ratePerSecond, durationMs, round } = options;
  const result = await load.run({ kind: 'open', way, ask, ratePerSecond, durationMs, seed: 1 + round });
  return {
    requests: result.requests,
    p50: quantile(result.firstByteMs, 0.5),
    p99: quantile(result.firstByteMs, 0.99),
  };
}

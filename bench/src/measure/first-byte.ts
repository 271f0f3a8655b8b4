import type { RequestSpec } from '../load/messages.ts';
import type { Load } from '../parts/load.ts';
import { quantile } from '../stats/quantile.ts';
import type { MeasuredRoute } from './routes.ts';

/** One round of time to first byte, in milliseconds. */
export interface FirstByteRound {
  requests: number;
  p50: number;
  p99: number;
}

/** Requests start at random times, the same for every route of a round. */
export async function measureFirstByte(
  load: Load,
  { route }: MeasuredRoute,
  spec: RequestSpec,
  options: { ratePerSecond: number; durationMs: number; round: number },
): Promise<FirstByteRound> {
  const { ratePerSecond, durationMs, round } = options;
  const result = await load.run({ kind: 'open', route, spec, ratePerSecond, durationMs, seed: 1 + round });
  return {
    requests: result.requests,
    p50: quantile(result.firstByteMs, 0.5),
    p99: quantile(result.firstByteMs, 0.99),
  };
}

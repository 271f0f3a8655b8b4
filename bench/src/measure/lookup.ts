import type { Ask } from '../load/messages.ts';
import type { Load } from '../parts/load.ts';
import { quantile } from '../stats/quantile.ts';
import type { MeasuredWay } from './ways.ts';

/** One round of looking charges up: from the end of a response to the end of its record, in milliseconds. */
export interface LookupRound {
  lookups: number;
  p50: number;
  p99: number;
}

/** Looks up the charges of some requests while others make the load. */
export async function measureLookup(
  load: Load,
  { way }: MeasuredWay,
  ask: Ask,
  options: { ratePerSecond: number; lookupsPerSecond: number; durationMs: number; round: number },
): Promise<LookupRound> {
  const { round, ...given } = options;
  const { lookupMs } = await load.run({ kind: 'lookup', way, ask, seed: 1 + round, ...given });
  return { lookups: lookupMs.length, p50: quantile(lookupMs, 0.5), p99: quantile(lookupMs, 0.99) };
}

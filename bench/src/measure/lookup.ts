import type { RequestSpec } from '../load/messages.ts';
import type { Load } from '../parts/load.ts';
import type { MeasuredRoute } from './routes.ts';

/** One round of charge lookups: milliseconds from the end of a response to the end of its record. */
export interface LookupRound {
  lookups: number;
  p50: number;
  p99: number;
}

/** Looks up the charges of some requests under load from others. */
export async function measureLookup(
  load: Load,
  { route }: MeasuredRoute,
  spec: RequestSpec,
  options: { ratePerSecond: number; lookupsPerSecond: number; durationMs: number; round: number },
): Promise<LookupRound> {
  const { round, ...given } = options;
  const { lookup } = await load.run({ kind: 'lookup', route, spec, seed: 1 + round, ...given });
  return { lookups: lookup.count, p50: lookup.p50, p99: lookup.p99 };
}

import { setTimeout as delay } from 'node:timers/promises';
import type { LoadCommand } from '../load/messages.ts';
import type { Load } from '../parts/load.ts';
import type { Scenario } from '../scenarios.ts';
import type { Quantiles } from '../stats/durations.ts';
import { type CpuByName, CpuMeter, counted } from './cpu-meter.ts';
import type { MeasuredRoute } from './routes.ts';

/** Time for settling charges and exporting traces after the last response; their cost belongs to the requests. */
const SETTLE_MS = 500;

/** One round of a scenario on one route. */
export interface Round {
  requests: number;
  perSecond: number;
  /** CPU microseconds per request, or per event, of the counted processes. */
  cpu: number;
  /** The same by process, including those that are not counted. */
  cpuByName: CpuByName;
  firstByte: Quantiles;
  latency: Quantiles;
}

export interface RoundOptions {
  durationMs: number;
  round: number;
  /** The rate of scenarios at half load. */
  halfLoad: number;
  /** Ends the round earlier. */
  requests?: number;
}

/** Measures a scenario on a route. Requests that start at random times start at the same ones on every route of a round. */
export async function measureRound(
  load: Load,
  { name, route, processes }: MeasuredRoute,
  scenario: Scenario,
  options: RoundOptions,
): Promise<Round> {
  const spec = name === 'gateway' ? scenario.spec : scenario.upstreamSpec;
  const meter = new CpuMeter(processes);
  const { requests, elapsedMs, firstByte, latency } = await load.run({
    route,
    spec,
    ...loadOf(scenario, options),
  });
  await delay(SETTLE_MS);
  const taken = meter.taken();
  const units = requests * (scenario.per === 'event' ? spec.outputTokens : 1);
  return {
    requests,
    perSecond: (requests * 1_000) / elapsedMs,
    cpu: counted(processes, taken) / units,
    cpuByName: Object.fromEntries(Object.entries(taken).map(([process, value]) => [process, value / units])),
    firstByte,
    latency,
  };
}

type Loop<K> = Omit<Extract<LoadCommand, { kind: K }>, 'route' | 'spec'>;

function loadOf(
  { load }: Scenario,
  { durationMs, round, halfLoad, requests }: RoundOptions,
): Loop<'closed'> | Loop<'open'> {
  switch (load.kind) {
    case 'closed':
      return { kind: 'closed', concurrency: load.concurrency, durationMs, ...(requests !== undefined && { requests }) };
    case 'open': {
      const ratePerSecond = load.perSecond === 'half' ? halfLoad : load.perSecond;
      return { kind: 'open', ratePerSecond, durationMs, seed: 1 + round };
    }
    default:
      return load satisfies never;
  }
}

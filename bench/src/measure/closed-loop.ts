import { setTimeout as delay } from 'node:timers/promises';
import type { RequestSpec } from '../load/messages.ts';
import type { Load } from '../parts/load.ts';
import { CONCURRENCY } from '../plan.ts';
import { type CpuByName, CpuMeter, counted } from './cpu-meter.ts';
import type { MeasuredRoute } from './routes.ts';

/** Time for settling charges and exporting traces after the last response; their cost belongs to the requests. */
const SETTLE_MS = 500;

/** One round of a closed loop. */
export interface LoopRound {
  requests: number;
  perSecond: number;
  /** CPU microseconds per request of the counted processes. */
  cpuPerRequest: number;
  /** The same by process, including those that are not counted. */
  cpuPerRequestByName: CpuByName;
}

export async function measureLoop(
  load: Load,
  { route, processes }: MeasuredRoute,
  spec: RequestSpec,
  durationMs: number,
): Promise<LoopRound> {
  const meter = new CpuMeter(processes);
  const { requests, elapsedMs } = await load.run({ kind: 'closed', route, spec, concurrency: CONCURRENCY, durationMs });
  await delay(SETTLE_MS);
  const taken = meter.taken();
  return {
    requests,
    perSecond: (requests * 1_000) / elapsedMs,
    cpuPerRequest: counted(processes, taken) / requests,
    cpuPerRequestByName: Object.fromEntries(Object.entries(taken).map(([name, value]) => [name, value / requests])),
  };
}

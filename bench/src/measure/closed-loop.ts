import { setTimeout as delay } from 'node:timers/promises';
import type { Ask } from '../load/messages.ts';
import type { Load } from '../parts/load.ts';
import { CONCURRENCY } from '../plan.ts';
import { type CpuByName, CpuMeter, counted } from './cpu-meter.ts';
import type { MeasuredWay } from './ways.ts';

/** After the last response charges are still settled and traces exported; their cost belongs to the requests. */
const SETTLE_MS = 500;

/** One round of a closed loop. */
export interface LoopRound {
  requests: number;
  perSecond: number;
  /** CPU microseconds a request of the processes that count. */
  cpuPerRequest: number;
  /** The same of each process, those that do not count too. */
  cpuPerRequestByName: CpuByName;
}

export async function measureLoop(
  load: Load,
  { way, processes }: MeasuredWay,
  ask: Ask,
  durationMs: number,
): Promise<LoopRound> {
  const meter = new CpuMeter(processes);
  const { requests, elapsedMs } = await load.run({ kind: 'closed', way, ask, concurrency: CONCURRENCY, durationMs });
  await delay(SETTLE_MS);
  const taken = meter.taken();
  return {
    requests,
    perSecond: (requests * 1_000) / elapsedMs,
    cpuPerRequest: counted(processes, taken) / requests,
    cpuPerRequestByName: Object.fromEntries(Object.entries(taken).map(([name, value]) => [name, value / requests])),
  };
}

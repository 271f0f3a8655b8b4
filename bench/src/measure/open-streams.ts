import { setTimeout as delay } from 'node:timers/promises';
import type { RequestSpec } from '../load/messages.ts';
import type { Load } from '../parts/load.ts';
import { CpuMeter, counted } from './cpu-meter.ts';
import { type MemoryByName, memoryOf } from './memory.ts';
import type { MeasuredRoute } from './routes.ts';

/** Time until concurrently opened streams flow evenly. */
const RAMP_MS = 2_000;

/** Streams that stay open, with events at intervals. */
export interface OpenStreams {
  streams: number;
  eventEveryMs: number;
  events: number;
  /** CPU microseconds per event of the counted processes. */
  cpu: number;
  /** Resident bytes by process. */
  memory: MemoryByName;
}

/** @throws Error if a stream ended while its events were counted */
export async function measureOpenStreams(
  load: Load,
  { route, processes }: MeasuredRoute,
  { spec, streams, durationMs }: { spec: RequestSpec; streams: number; durationMs: number },
): Promise<OpenStreams> {
  await load.run({ kind: 'hold', route, spec, streams });
  await delay(RAMP_MS);
  const meter = new CpuMeter(processes);
  const { events, requests } = await load.run({ kind: 'watch', durationMs });
  const taken = meter.taken();
  const memory = memoryOf(processes);
  await load.run({ kind: 'leave' });
  if (requests > 0) throw new Error(`${requests} streams ended while their events were counted`);
  return { streams, eventEveryMs: spec.tokenDelayMs, events, cpu: counted(processes, taken) / events, memory };
}

import { setTimeout as delay } from 'node:timers/promises';
import type { RequestSpec } from '../load/messages.ts';
import type { Load } from '../parts/load.ts';
import { EVENT_DELAY_MS, EVENT_STREAMS } from '../plan.ts';
import { type CpuByName, CpuMeter, counted } from './cpu-meter.ts';
import type { MeasuredRoute } from './routes.ts';

/** Time until concurrently opened streams flow evenly. */
const RAMP_MS = 700;
/** Duration of the streams; they are closed earlier. */
const STREAM_MS = 60_000;
/** Time for settling charges after the streams close; this is not a cost of events. */
const SETTLE_MS = 500;

/** One round of open streams, none of which starts or ends during the measurement. */
export interface EventRound {
  events: number;
  perSecond: number;
  /** CPU microseconds per event of the counted processes. */
  cpuPerEvent: number;
  cpuPerEventByName: CpuByName;
}

/** @throws Error if a stream ended while events were counted */
export async function measureEvents(
  load: Load,
  { route, processes }: MeasuredRoute,
  durationMs: number,
  protocol: RequestSpec['protocol'],
): Promise<EventRound> {
  const outputTokens = STREAM_MS / EVENT_DELAY_MS;
  const spec: RequestSpec = { protocol, streamed: true, outputTokens, tokenDelayMs: EVENT_DELAY_MS };
  await load.run({ kind: 'hold', route, spec, streams: EVENT_STREAMS });
  await delay(RAMP_MS);
  const meter = new CpuMeter(processes);
  const { events, requests, elapsedMs } = await load.run({ kind: 'watch', durationMs });
  const taken = meter.taken();
  await load.run({ kind: 'leave' });
  await delay(SETTLE_MS);
  if (requests > 0) throw new Error(`${requests} streams ended while their events were counted`);
  return {
    events,
    perSecond: (events * 1_000) / elapsedMs,
    cpuPerEvent: counted(processes, taken) / events,
    cpuPerEventByName: Object.fromEntries(Object.entries(taken).map(([name, value]) => [name, value / events])),
  };
}

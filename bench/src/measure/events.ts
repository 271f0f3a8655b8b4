import { setTimeout as delay } from 'node:timers/promises';
import type { Ask } from '../load/messages.ts';
import type { Load } from '../parts/load.ts';
import { EVENT_DELAY_MS, EVENT_STREAMS } from '../plan.ts';
import { type CpuByName, CpuMeter, counted } from './cpu-meter.ts';
import type { MeasuredWay } from './ways.ts';

/** Until the streams that begin together flow evenly. */
const RAMP_MS = 700;
/** The streams would run this long; they are left as soon as the time is over. */
const STREAM_MS = 60_000;
/** After the streams were left, charges are settled, which is no cost of events. */
const SETTLE_MS = 500;

/** One round of streams that are in progress, none beginning or ending meanwhile. */
export interface EventRound {
  events: number;
  perSecond: number;
  /** CPU microseconds an event of the processes that count. */
  cpuPerEvent: number;
  cpuPerEventByName: CpuByName;
}

/** @throws Error when a stream ended while events were counted */
export async function measureEvents(
  load: Load,
  { way, processes }: MeasuredWay,
  durationMs: number,
  protocol: Ask['protocol'],
): Promise<EventRound> {
  const outputTokens = STREAM_MS / EVENT_DELAY_MS;
  const ask: Ask = { protocol, streamed: true, outputTokens, tokenDelayMs: EVENT_DELAY_MS };
  await load.run({ kind: 'hold', way, ask, streams: EVENT_STREAMS });
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

import { setTimeout as delay } from 'node:timers/promises';
import type { Ask } from '../load/messages.ts';
import type { Load } from '../parts/load.ts';
import { EVENT_DELAY_MS, EVENT_STREAMS } from '../plan.ts';
import { type CpuByName, CpuMeter, counted } from './cpu-meter.ts';
import type { MeasuredWay } from './ways.ts';

/** Until the streams that begin together flow evenly. */
const RAMP_MS = 700;
/** What the streams run beyond the time measured. */
const MARGIN_MS = 300;

/** One round of streams that are under way, none beginning or ending meanwhile. */
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
): Promise<EventRound> {
  const outputTokens = Math.ceil((RAMP_MS + durationMs + MARGIN_MS) / EVENT_DELAY_MS);
  const ask: Ask = { streamed: true, outputTokens, tokenDelayMs: EVENT_DELAY_MS };
  await load.run({ kind: 'hold', way, ask, streams: EVENT_STREAMS });
  await delay(RAMP_MS);
  const meter = new CpuMeter(processes);
  const { events, requests, elapsedMs } = await load.run({ kind: 'watch', durationMs });
  const taken = meter.taken();
  await load.run({ kind: 'release' });
  if (requests > 0) throw new Error(`${requests} streams ended while their events were counted`);
  return {
    events,
    perSecond: (events * 1_000) / elapsedMs,
    cpuPerEvent: counted(processes, taken) / events,
    cpuPerEventByName: Object.fromEntries(Object.entries(taken).map(([name, value]) => [name, value / events])),
  };
}

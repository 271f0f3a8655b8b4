import { setTimeout as delay } from 'node:timers/promises';
import type { RequestSpec } from '../load/messages.ts';
import { residentBytesOf } from '../machine/processes.ts';
import type { Load } from '../parts/load.ts';
import { MEMORY_DELAY_MS, MEMORY_SETTLE_MS } from '../plan.ts';
import type { MeasuredRoute } from './routes.ts';

/** Resident memory in bytes. */
export interface Memory {
  /** After the start. */
  idle: number;
  /** With open streams. */
  streaming: number;
}

/** Duration of the streams; they are closed once the memory is read. */
const STREAM_MS = 60_000;

/** Reads a process's memory before and while streams are open through it. */
export async function measureMemory(
  load: Load,
  { route }: MeasuredRoute,
  pid: number,
  streams: number,
): Promise<Memory> {
  const idle = residentBytesOf(pid);
  const outputTokens = STREAM_MS / MEMORY_DELAY_MS;
  const spec: RequestSpec = { protocol: 'openai-chat', streamed: true, outputTokens, tokenDelayMs: MEMORY_DELAY_MS };
  await load.run({ kind: 'hold', route, spec, streams });
  await delay(MEMORY_SETTLE_MS);
  const streaming = residentBytesOf(pid);
  const { requests } = await load.run({ kind: 'watch', durationMs: 0 });
  if (requests > 0) throw new Error('streams ended before the memory was read');
  await load.run({ kind: 'leave' });
  return { idle, streaming };
}

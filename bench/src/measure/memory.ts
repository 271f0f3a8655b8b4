import { setTimeout as delay } from 'node:timers/promises';
import type { Ask } from '../load/messages.ts';
import { residentBytesOf } from '../machine/processes.ts';
import type { Load } from '../parts/load.ts';
import { MEMORY_DELAY_MS, MEMORY_SETTLE_MS } from '../plan.ts';
import type { MeasuredWay } from './ways.ts';

/** Resident memory in bytes. */
export interface Memory {
  /** Started, and nothing done yet. */
  idle: number;
  /** While streams are open. */
  streaming: number;
}

/** The streams would run this long; they are left as soon as the memory is read. */
const STREAM_MS = 60_000;

/** Reads a process's memory before and while streams are open through it. */
export async function measureMemory(load: Load, { way }: MeasuredWay, pid: number, streams: number): Promise<Memory> {
  const idle = residentBytesOf(pid);
  const outputTokens = STREAM_MS / MEMORY_DELAY_MS;
  const ask: Ask = { protocol: 'openai-chat', streamed: true, outputTokens, tokenDelayMs: MEMORY_DELAY_MS };
  await load.run({ kind: 'hold', way, ask, streams });
  await delay(MEMORY_SETTLE_MS);
  const streaming = residentBytesOf(pid);
  const { requests } = await load.run({ kind: 'watch', durationMs: 0 });
  if (requests > 0) throw new Error('streams ended before the memory was read');
  await load.run({ kind: 'leave' });
  return { idle, streaming };
}

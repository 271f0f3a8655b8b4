import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'undici';
import type { LoadCommand, LoadResult } from './messages.ts';

/** Between two health checks: a turn of the gateway's event loop that is longer than this shows in the wait of one. */
const PAUSE_MS = 1;

/** Sends health checks one after the other. What is timed is each check's wait for its response. */
export async function probe({ way, durationMs }: Extract<LoadCommand, { kind: 'probe' }>): Promise<LoadResult> {
  const client = new Client(way.origin);
  const waits: number[] = [];
  const start = performance.now();
  try {
    for (let now = start; now - start < durationMs; now = performance.now()) {
      const response = await client.request({ path: '/health/live', method: 'GET' });
      await response.body.dump();
      if (response.statusCode !== 200) throw new Error(`a health check was answered ${response.statusCode}`);
      waits.push(performance.now() - now);
      await delay(PAUSE_MS);
    }
  } finally {
    await client.destroy();
  }
  const elapsedMs = performance.now() - start;
  return {
    requests: waits.length,
    failures: 0,
    firstFailure: undefined,
    elapsedMs,
    events: 0,
    firstByteMs: waits,
    lookupMs: [],
  };
}

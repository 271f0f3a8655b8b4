import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'undici';
import type { LoadCommand, LoadResult } from './messages.ts';
import { Tally } from './tally.ts';

/** Pause between health checks: a longer turn of the gateway's event loop delays one of them. */
const PAUSE_MS = 1;

/** Sends health checks in sequence and measures each response time. */
export async function probe({ route, durationMs }: Extract<LoadCommand, { kind: 'probe' }>): Promise<LoadResult> {
  const client = new Client(route.origin);
  const tally = new Tally();
  const start = performance.now();
  try {
    for (let now = start; now - start < durationMs; now = performance.now()) {
      const response = await client.request({ path: '/health/live', method: 'GET' });
      await response.body.dump();
      if (response.statusCode !== 200) throw new Error(`a health check returned ${response.statusCode}`);
      tally.requests += 1;
      tally.latency.add(performance.now() - now);
      await delay(PAUSE_MS);
    }
  } finally {
    await client.destroy();
  }
  return tally.result();
}

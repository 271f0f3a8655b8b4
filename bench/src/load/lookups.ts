import { Pool } from 'undici';
import { Durations } from '../stats/durations.ts';
import { arrivals } from './arrivals.ts';
import type { Connections } from './connection.ts';
import { openLoop } from './loops.ts';
import type { LoadCommand, LoadResult, RequestSpec, Route } from './messages.ts';
import { bodyOf, headersOf, pathOf } from './request.ts';

const CONNECTIONS = 64;

/**
 * An open loop, and beside it requests at random times, each followed by a lookup of its charge. Measures from the end
 * of the response to the end of the charge's record.
 */
export async function lookupLoop(
  connections: Connections,
  command: Extract<LoadCommand, { kind: 'lookup' }>,
): Promise<LoadResult> {
  const { route, spec, lookupsPerSecond, durationMs, seed } = command;
  const pool = new Pool(route.origin, { connections: CONNECTIONS });
  try {
    const load = openLoop(connections, { ...command, kind: 'open' });
    const durations = new Durations();
    const lookups: Promise<void>[] = [];
    const start = performance.now();
    // Other times than those of the load.
    for (const moment of arrivals(lookupsPerSecond, durationMs, seed + 1_000_000)) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, moment - (performance.now() - start))));
      const lookup = lookUp(pool, route, spec, lookups.length).then((ms) => durations.add(ms));
      // Reported below, when all have ended.
      lookup.catch(() => undefined);
      lookups.push(lookup);
    }
    await Promise.all(lookups);
    return { ...(await load), lookup: durations.quantiles() };
  } finally {
    await pool.destroy();
  }
}

/** Makes one request and looks up its charge. Milliseconds. @throws Error unless both return 200 */
async function lookUp(pool: Pool, route: Route, spec: RequestSpec, turn: number): Promise<number> {
  const headers = headersOf(spec, route, route.keys[turn % route.keys.length] ?? '');
  const response = await pool.request({ path: pathOf(spec), method: 'POST', headers, body: bodyOf(spec) });
  await response.body.dump({ limit: Number.MAX_SAFE_INTEGER });
  const endedAt = performance.now();
  const requestId = String(response.headers['x-request-id']);
  const record = await pool.request({ path: `/v1/billing/requests/${requestId}`, method: 'GET', headers });
  const text = await record.body.text();
  const ms = performance.now() - endedAt;
  if (response.statusCode !== 200 || record.statusCode !== 200)
    throw new Error(`a call returned ${response.statusCode}, its lookup ${record.statusCode}: ${text.slice(0, 300)}`);
  return ms;
}

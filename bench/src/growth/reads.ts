import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { z } from 'zod';
import { quantile } from '../stats/quantile.ts';

/** Calls of each kind, one after the other. */
const CALLS = 40;
/** Between starts of calls: the gateway allows an account 600 a minute. */
const INTERVAL_MS = 110;
const HOUR_MS = 3_600_000;
const RANGE_DAYS = 30;

/** A call of the billing API. */
interface Read {
  name: string;
  path: string;
}

const pageSchema = z.object({ data: z.array(z.object({ request_id: z.string() })).min(1) });

/** Milliseconds of calls of the billing API, by kind: the median and the 90th percentile. */
export type ReadTimes = Record<string, { p50: number; p90: number }>;

/** Calls the billing API of an account that has charges. @throws Error unless all calls return 200 */
export async function measureReads(origin: string, key: string, nowMs: number): Promise<ReadTimes> {
  const end = new Date(nowMs + HOUR_MS).toISOString();
  const start = new Date(nowMs + HOUR_MS - RANGE_DAYS * 24 * HOUR_MS).toISOString();
  const range = `start=${start}&end=${end}`;
  const list = `/v1/billing/requests?${range}&limit=100`;
  const page = pageSchema.parse(JSON.parse(await read(origin, key, list)));
  const oldest = page.data.at(-1)?.request_id ?? '';
  const reads: readonly Read[] = [
    { name: 'list of 100 requests', path: list },
    { name: 'one request', path: `/v1/billing/requests/${oldest}` },
    { name: 'usage of 30 days by day and model', path: `/v1/billing/usage?${range}&interval=day&group_by=model` },
    { name: 'usage of 30 days by day and key', path: `/v1/billing/usage?${range}&interval=day&group_by=key` },
  ];
  const times: ReadTimes = {};
  for (const { name, path } of reads) {
    const samples: number[] = [];
    for (let call = 0; call < CALLS; call += 1) {
      const startedAt = performance.now();
      await read(origin, key, path);
      const tookMs = performance.now() - startedAt;
      samples.push(tookMs);
      await delay(Math.max(0, INTERVAL_MS - tookMs));
    }
    times[name] = { p50: quantile(samples, 0.5), p90: quantile(samples, 0.9) };
  }
  return times;
}

async function read(origin: string, key: string, path: string): Promise<string> {
  const response = await request(origin + path, { headers: { authorization: `Bearer ${key}` } });
  const text = await response.body.text();
  if (response.statusCode !== 200) throw new Error(`${path} returned ${response.statusCode}: ${text.slice(0, 300)}`);
  return text;
}

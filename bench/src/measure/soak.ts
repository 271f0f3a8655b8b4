import { createLogger } from '@tollgate/common/logging';
import { createPool } from '@tollgate/common/postgres/pool';
import type { Tollgate } from '../parts/tollgate.ts';
import { SMALL_CHAT } from '../scenarios.ts';
import { type MemoryByName, memoryOf } from './memory.ts';
import { measureRound } from './round.ts';
import type { Routes } from './routes.ts';
import type { RunOptions } from './run.ts';

/** Parts of the time, each with its figures. */
const BUCKETS = 12;
/** Time of the bare proxy in each, as a share. */
const PROXY_SHARE = 1 / 30;

const logger = createLogger('bench', 'fatal');

/** One part of a long constant load. */
export interface SoakBucket {
  requests: number;
  /** CPU microseconds per request: the gateway's and the bare proxy's. */
  cpu: number;
  proxyCpu: number;
  p99: number;
  /** Resident bytes by process, at the end. */
  memory: MemoryByName;
  databaseBytes: number;
}

/** Runs the small chat at a constant rate, half of what the gateway can do. */
export async function measureSoak(
  { stack, route }: Tollgate,
  routes: Routes,
  ratePerSecond: number,
  { load, plan, report }: RunOptions,
): Promise<SoakBucket[]> {
  const scenario = { ...SMALL_CHAT, load: { kind: 'open', perSecond: ratePerSecond } } as const;
  const bucketMs = plan.soakMs / BUCKETS;
  const buckets: SoakBucket[] = [];
  for (let round = 0; round < BUCKETS; round += 1) {
    report(`a constant load, part ${round + 1} of ${BUCKETS}`);
    const proxyMs = bucketMs * PROXY_SHARE;
    const gateway = await measureRound(load, route, scenario, { durationMs: bucketMs - proxyMs, round, halfLoad: 0 });
    const memory = memoryOf(route.processes);
    const proxy = await measureRound(load, routes.proxy, scenario, { durationMs: proxyMs, round, halfLoad: 0 });
    const { requests, cpu, latency } = gateway;
    const databaseBytes = await databaseSize(stack.facts.database_url);
    buckets.push({ requests, cpu, proxyCpu: proxy.cpu, p99: latency.p99, memory, databaseBytes });
  }
  return buckets;
}

async function databaseSize(url: string): Promise<number> {
  const pool = createPool({ url, size: 1, applicationName: 'tollgate-bench' }, logger);
  try {
    const { rows } = await pool.query<{ bytes: bigint }>('SELECT pg_database_size(current_database()) AS bytes');
    return Number(rows[0]?.bytes ?? 0n);
  } finally {
    await pool.end();
  }
}

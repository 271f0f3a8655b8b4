import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseProcessStat, ticksToMicroseconds } from '@tollgate/bench/machine/process-stat';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { type Gateway, startGateway } from '@tollgate/test-support/gateway/gateway';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FloodResult, flood } from './support/flood.ts';
import { type Experience, GoodKeys } from './support/good-keys.ts';
import { type StoreCounts, StoreReader } from './support/store-counts.ts';

const LONG = process.env['LONG'] === '1';
/** Keys of the flood. */
const KEYS = Number(process.env['KEYS'] ?? (LONG ? 1_000_000 : 50_000));
/** Keys per second; unlimited by default. */
const PER_SECOND = Number(process.env['RATE'] ?? Number.POSITIVE_INFINITY);
const CONNECTIONS = 64;
/** Ends a slow flood. */
const END_MS = Math.max(60_000, KEYS * 2, (KEYS / PER_SECOND) * 1_500);
const BEFORE_MS = 10_000;
/** When new keys are used for the first time: the flood is limited by then. */
const COLD_AFTER_MS = 2_000;
/** Default burst of lookups of unknown keys for one address; it refills at one per second. */
const BURST = 20;
/** The address of the flood and of some valid keys; the others use another address. */
const FLOODING = '127.0.0.1';
const ELSEWHERE = '127.0.0.2';
const CLIENTS = 4;
const COLD_KEYS = 20;

let gateway: Gateway;
let stores: StoreReader;

beforeAll(async () => {
  gateway = await startGateway({ env: { UNKNOWN_KEYS_BURST: String(BURST), LOG_LEVEL: 'error' } });
  stores = new StoreReader(gateway.stack.facts.database_url, gateway.stack.facts.redis_url);
});
afterAll(async () => {
  await stores.close();
  await gateway.stop();
});

function target(from: string) {
  const { hostname, port } = new URL(gateway.baseUrl);
  return { host: hostname, port: Number(port), from };
}

async function keysOf(account: Account, count: number): Promise<string[]> {
  const made = Array.from({ length: count }, () => gateway.accounts.createKey(account.accountId));
  return (await Promise.all(made)).map(({ key }) => key);
}

async function keysOfNewAccounts(count: number): Promise<string[]> {
  const made = Array.from({ length: count }, () => gateway.accounts.create(0n));
  return (await Promise.all(made)).map(({ key }) => key);
}

/** CPU time of the ingress so far, in milliseconds; undefined if the system does not report it. */
function ingressCpuMs(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const stat = readFileSync(`/proc/${gateway.stack.facts.pids['ingress']}/stat`, 'utf8');
  return ticksToMicroseconds(parseProcessStat(stat).ownTicks) / 1_000;
}

/** Valid keys in use at the flooding address and elsewhere, during a function. */
async function beside<Result>(users: readonly GoodKeys[], work: Promise<Result>): Promise<[Result, Experience[]]> {
  const done = new AbortController();
  const using = users.map((each) => each.use(done.signal));
  const result = await work.finally(() => done.abort());
  return [result, await Promise.all(using)];
}

it(
  `${KEYS} unknown keys put almost no load on the stores, and at most delay valid keys`,
  async () => {
    const account = await gateway.accounts.create(0n);
    const users = [
      new GoodKeys(target(FLOODING), await keysOf(account, CLIENTS)),
      new GoodKeys(target(ELSEWHERE), await keysOf(account, CLIENTS)),
    ];
    const newOfKnownAccount = new GoodKeys(target(FLOODING), await keysOf(account, COLD_KEYS));
    const newOfNewAccounts = new GoodKeys(target(ELSEWHERE), await keysOfNewAccounts(COLD_KEYS));

    const [, before] = await beside(users, delay(BEFORE_MS));
    const atFirst = await stores.read();
    const cpuAtFirst = ingressCpuMs();
    const order = {
      target: target(FLOODING),
      keys: KEYS,
      connections: CONNECTIONS,
      perSecond: PER_SECOND,
      endMs: END_MS,
    };
    const [[result, cold], during] = await beside(
      users,
      Promise.all([
        flood(order),
        delay(COLD_AFTER_MS).then(() => Promise.all([newOfKnownAccount.useOnce(), newOfNewAccounts.useOnce()])),
      ]),
    );
    const cpuMs = (ingressCpuMs() ?? Number.NaN) - (cpuAtFirst ?? Number.NaN);
    const atLast = await stores.read();
    report(result, cpuMs, atFirst, atLast, { before, during, cold });

    expect(result.sent).toBe(KEYS);
    expect(Object.keys(result.statuses).sort()).toEqual(['401', '429']);
    for (const { statuses } of [...before, ...during, ...cold]) expect(Object.keys(statuses)).toEqual(['200']);
    // Those in flight at the limit count too, and each lookup scans once for each of a key's two values.
    const lookups = BURST + CONNECTIONS + result.tookMs / 1_000 + 2 * COLD_KEYS;
    const quietSeconds = (result.tookMs + 30_000) / 1_000;
    expect(atLast.keyScans - atFirst.keyScans).toBeLessThanOrEqual(2 * (lookups + quietSeconds / 10));
    // The script that reads a record counts three times because of its own commands.
    expect(atLast.redisCommands - atFirst.redisCommands).toBeLessThanOrEqual(10 * lookups + 30 * quietSeconds);
    expect(atLast.redisEntries - atFirst.redisEntries).toBeLessThanOrEqual(10 * COLD_KEYS);
  },
  END_MS + 120_000,
);

function report(
  { sent, statuses, tookMs }: FloodResult,
  cpuMs: number,
  atFirst: StoreCounts,
  atLast: StoreCounts,
  { before, during, cold }: { before: Experience[]; during: Experience[]; cold: Experience[] },
): void {
  const responded = sent + during.reduce((sum, { latenciesMs }) => sum + latenciesMs.length, 0);
  const lines = [
    `${sent} made-up keys in ${(tookMs / 1_000).toFixed(1)} s, ${Math.round((sent / tookMs) * 1_000)}/s, half of them ` +
      `well-formed, over ${CONNECTIONS} connections from one address; answered ${show(statuses)}`,
    `the ingress used ${(cpuMs / 1_000).toFixed(1)} s of CPU for these and the good keys beside them, ` +
      `${(cpuMs / responded).toFixed(2)} ms a request`,
    `reached Postgres: ${atLast.keyScans - atFirst.keyScans} scans of the table of keys`,
    `reached Redis: ${atLast.redisCommands - atFirst.redisCommands} commands, ` +
      `${atLast.redisEntries - atFirst.redisEntries} entries more`,
    `of these for ${2 * COLD_KEYS} good keys that were presented for the first time`,
    ...[
      ['good keys before, from the flooding address', before[0]],
      ['good keys before, from elsewhere', before[1]],
      ['good keys beside it, from the flooding address', during[0]],
      ['good keys beside it, from elsewhere', during[1]],
      ['new keys of a known account, from the flooding address', cold[0]],
      ['new keys of new accounts, from elsewhere', cold[1]],
    ].map(([name, experience]) => `${name}: ${latencies(experience)}`),
  ];
  process.stdout.write(`\n${lines.join('\n')}\n\n`);
}

function latencies(experience: Experience | string | undefined): string {
  if (experience === undefined || typeof experience === 'string') return 'none';
  const sorted = experience.latenciesMs.toSorted((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${sorted.length} requests, answered ${show(experience.statuses)}`;
}

function show(statuses: Readonly<Record<string, number>>): string {
  return Object.entries(statuses)
    .map(([status, count]) => `${status} (${count})`)
    .join(', ');
}

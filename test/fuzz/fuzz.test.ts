import { brokenInvariants } from '@tollgate/ledger/testing/check-invariants';
import type { Accounts } from '@tollgate/test-support/gateway/accounts';
import { chooseSeed } from '@tollgate/test-support/random/seed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Books } from './support/books.ts';
import { secretIn } from './support/canaries.ts';
import { POOR_SLOT } from './support/catalogue.ts';
import { type Memory, MemoryReader } from './support/memory.ts';
import { PARTS, randomOf } from './support/random.ts';
import { renderReport } from './support/report.ts';
import { type Client, emptyTally, runCases } from './support/run.ts';
import { type System, startSystem, waitForCredit } from './support/system.ts';
import { type HostileUpstream, startHostileUpstream } from './support/upstream/server.ts';

const LONG = process.env['LONG'] === '1';
const SEED = chooseSeed(process.env, Date.now());
/** `.ci/run` never repeats a failure that names a seed: it indicates a defect, not a slow machine. */
const FINDING = `SEED=${SEED}`;
const ONE = process.env['CASE'];
const CASES = Number(process.env['CASES'] ?? (LONG ? 1_000_000 : 20_000));
const NUMBERS = ONE === undefined ? Array.from({ length: CASES }, (_, number) => number) : ONE.split(',').map(Number);
/** Memory is compared from here on, when pools, caches and compiled code are warm. */
const WARM = Math.ceil(NUMBERS.length / 4);
const MAX_GROWTH_BYTES = 32 * 1024 * 1024;
/** The allocator returns freed pages late, so this shows only leaks outside of the heap. */
const MAX_RSS_GROWTH_BYTES = 256 * 1024 * 1024;
const RICH = 1_000_000_000_000_000n;
/** Enough for small requests, with output limits that the balance affords. */
const POOR = 20_000_000n;

let system: System;
let upstream: HostileUpstream;
let books: Books;
let rich: Client;
let poor: Client;
let warm: Memory;
let end: Memory;
const tally = emptyTally();
const leaks: string[] = [];

beforeAll(
  async () => {
    process.stdout.write(`SEED=${SEED}; CASE=n with it repeats one case alone.\n`);
    const cases = new Map<number, number>();
    const memory = new MemoryReader();
    upstream = await startHostileUpstream((slot, attempt) =>
      randomOf(SEED, cases.get(slot) ?? 0, PARTS.upstream + attempt),
    );
    system = await startSystem(upstream.url, (service, line) => {
      memory.onLine(line);
      const secret = secretIn(line);
      if (secret !== undefined) leaks.push(`${secret} in a line of ${service}: ${line.slice(0, 500)}`);
      else if (ONE !== undefined) process.stdout.write(`${service}: ${line}\n`);
    });
    const { accounts, stack } = system;
    rich = await createClient(accounts, RICH);
    poor = await createClient(accounts, POOR);
    for (const { keys } of [rich, poor]) await waitForCredit(stack.facts.base_url, keys.good);
    books = new Books(stack.facts.database_url);
    const startedAt = performance.now();
    const run = (numbers: readonly number[]) =>
      runCases(
        {
          seed: SEED,
          numbers,
          baseUrl: stack.facts.base_url,
          clientOf: (slot) => (slot === POOR_SLOT ? poor : rich),
          upstream,
          chargesOf: (due, others) => books.charges(due, others),
          onCase: (slot, number) => cases.set(slot, number),
          print: ONE !== undefined,
        },
        tally,
      );
    const pid = stack.facts.pids['ingress'] ?? 0;
    await Promise.race([run(NUMBERS.slice(0, WARM)), unexpectedDeath()]);
    warm = await memory.read(pid);
    await Promise.race([run(NUMBERS.slice(WARM)), unexpectedDeath()]);
    end = await memory.read(pid);
    // A graceful stop returns all credit.
    await stack.restart('ingress');
    const seconds = (performance.now() - startedAt) / 1_000;
    process.stdout.write(`${renderReport(tally, { seconds, warm, end })}\n`);
  },
  LONG ? 6 * 3_600_000 : 600_000,
);
afterAll(async () => {
  await books?.close();
  await system?.stop();
  await upstream?.stop();
});

async function createClient(accounts: Accounts, nanos: bigint): Promise<Client> {
  const { accountId, key } = await accounts.create(nanos);
  const deleted = await accounts.createKey(accountId);
  await accounts.deleteKey(deleted.keyId);
  return { accountId, keys: { good: key, deleted: deleted.key } };
}

async function unexpectedDeath(): Promise<never> {
  const death = await system.stack.died;
  throw new Error(`${FINDING}: ${death.service} ${death.how}:\n${death.lastLines.join('\n')}`);
}

it('sends correct responses and charges', () => {
  expect(tally.findings.slice(0, 30), `${FINDING}: ${tally.findingCount} findings`).toEqual([]);
});

it('logs no key, prompt or completion', () => {
  expect(leaks.slice(0, 20), FINDING).toEqual([]);
});

if (ONE === undefined) {
  it('reaches the upstream with at least half of its requests', () => {
    expect(tally.requests).toBe(CASES);
    expect(tally.reached).toBeGreaterThanOrEqual(CASES / 2);
  });

  it('uses no more memory than after warm-up', () => {
    const growth = end.heapUsed + end.external - warm.heapUsed - warm.external;
    expect(growth, FINDING).toBeLessThan(MAX_GROWTH_BYTES);
    expect(end.rss - warm.rss, FINDING).toBeLessThan(MAX_RSS_GROWTH_BYTES);
  });
}

it('keeps the books balanced: deposits equal charges and balances, and no credit stays leased', async () => {
  for (const { accountId, paid } of [
    { ...rich, paid: RICH },
    { ...poor, paid: POOR },
  ]) {
    const { charged, available, leased } = await books.sums(accountId);
    expect({ leased, available }, FINDING).toEqual({ leased: 0n, available: paid - charged });
  }
  expect(await brokenInvariants(books.pool), FINDING).toEqual([]);
  expect(await books.quarantined(), FINDING).toEqual([]);
});

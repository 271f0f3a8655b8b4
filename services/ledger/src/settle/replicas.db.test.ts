import { newId } from '@tollgate/common/ids';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { CapPeriod, type Charge, SettleOutcome } from '@tollgate/proto/ledger';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { acquire, fundedAccount } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture, MAX_AGE_MS, silent } from '../../testing/ledger-fixture.ts';
import { openSession } from '../store/sessions.ts';
import { settleIsolating } from './settle-records.ts';
import { Settler } from './settler.ts';

const ACCOUNTS = 250;
const SESSIONS = 2;
const REPLICAS = 2;
const LANES = 3;
const CHARGES = 12;
const COST = 7n;
const BATCH = 200;
const { POSTED, DUPLICATE, QUARANTINED } = SettleOutcome;

let ledger: LedgerFixture;
const pools: Pool[] = [];
beforeAll(async () => {
  ledger = await createLedger();
  for (let index = 0; index < REPLICAS; index++) {
    pools.push(createPool({ url: ledger.url, size: LANES + 1, applicationName: 'tollgate-ledger-test' }, silent));
  }
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await ledger.drop();
});

/** A replica's settler. It tries nothing again, so that a deadlock is an error here, which a second try would hide. */
function replica(pool: Pool): Settler {
  const options = { maxAgeMs: MAX_AGE_MS, logger: silent, retry: { attempts: 1, firstDelayMs: 1 } };
  return new Settler({
    commit: (records) => settleIsolating(pool, records, options),
    onSettled: () => undefined,
    lanes: LANES,
    rows: { minRows: 400, maxRows: 1_000, targetMs: 200 },
  });
}

/** The same elements in an order of their own; without chance, so that a failure comes again. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  return items
    .map((item, index) => ({ item, rank: (index * 7_919 + seed * 104_729) % 65_521 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

function inBatches(charges: readonly Charge[]): Charge[][] {
  return Array.from({ length: Math.ceil(charges.length / BATCH) }, (_, index) =>
    charges.slice(index * BATCH, (index + 1) * BATCH),
  );
}

it('replicas that settle the same charges of the same accounts never wait for each other in a circle', async () => {
  const sessions = Array.from({ length: SESSIONS }, newId);
  for (const sessionId of sessions) await openSession(ledger.pool, sessionId, 'test-ingress');
  const charges: Charge[] = [];
  for (let account = 0; account < ACCOUNTS; account++) {
    const accountId = await fundedAccount(ledger.pool, 10_000n);
    const keyId = newId();
    await ledger.pool.query(
      `INSERT INTO ledger.ceilings (account_id, node_id, period, period_start_ms, limit_nanos, revision)
       VALUES ($1, $2, 'total', 0, 1000000, 1)`,
      [accountId, keyId],
    );
    for (const sessionId of sessions) {
      await acquire(ledger.pool, sessionId, accountId, 1_000n);
      for (let count = 0; count < CHARGES / SESSIONS; count++) {
        charges.push(buildCharge({ accountId, sessionId, keyId, caps: [CapPeriod.TOTAL] }, COST));
      }
    }
  }
  const contradicting = charges.slice(0, 50).map((charge) => buildCharge({ ...charge, durationMs: 1 }, COST));
  const malformed = Array.from({ length: 50 }, (_, index) =>
    buildCharge({ accountId: `${index}`, sessionId: newId() }),
  );

  // Each replica gets every charge, in an order of its own, and some more than once.
  const settled = pools.map(async (pool, index) => {
    const settler = replica(pool);
    const all = shuffled([...charges, ...charges.slice(0, 500), ...malformed], index + 1);
    const outcomes = await Promise.all(inBatches(all).map((batch) => settler.settle(batch)));
    return outcomes.flat();
  });
  const outcomes = (await Promise.all(settled)).flat();
  const count = (outcome: SettleOutcome) => outcomes.filter((one) => one === outcome).length;
  expect(count(POSTED)).toBe(charges.length);
  expect(count(DUPLICATE)).toBe(charges.length + REPLICAS * 500);
  expect(count(QUARANTINED)).toBe(REPLICAS * malformed.length);
  const [first] = pools;
  if (first === undefined) throw new Error('there is no pool');
  const again = await replica(first).settle(contradicting);
  expect(new Set(again)).toEqual(new Set([QUARANTINED]));

  const { rows } = await ledger.pool.query(
    `SELECT count(*)::int AS accounts, sum(revenue) AS revenue, min(available + leased) AS least,
            max(available + leased) AS most FROM ledger.balances`,
  );
  const left = 10_000n - BigInt(CHARGES) * COST;
  expect(rows).toEqual([
    { accounts: ACCOUNTS, revenue: String(BigInt(charges.length) * COST), least: left, most: left },
  ]);
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

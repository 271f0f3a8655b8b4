import { newId } from '@tollgate/common/ids';
import { inTransaction, type PoolClient } from '@tollgate/common/postgres/pool';
import { CapPeriod } from '@tollgate/proto/ledger';
import { expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { acquireCap, fundedAccount, leasingSession, settle } from '../../testing/ledger-calls.ts';
import { MAX_AGE_MS, silent } from '../../testing/ledger-fixture.ts';
import { createOlderLedger } from '../../testing/older-ledger.ts';
import { ensurePartitions } from './partitions.ts';
import { DAY_MS } from './time.ts';

/** The last migration before nodes above keys had ceilings. */
const LAST_WITHOUT = 15;
const TODAY = Date.now() - (Date.now() % DAY_MS);
const KEY = newId();

/** What the release before it writes to caps, as its prepared statements. */
const EARLIER = {
  write: `
    INSERT INTO ledger.caps AS c (account_id, key_id, period, period_start_ms, limit_nanos, key_revision, spent)
    SELECT $1, $2, $3::ledger.cap_period, $4, $5, $6, coalesce(sum(charged_nanos), 0)::bigint
    FROM ledger.usage_daily WHERE account_id = $1 AND key_id = $2 AND start_ms >= $4 AND start_ms < $7
    ON CONFLICT (account_id, key_id, period, period_start_ms) DO UPDATE
      SET limit_nanos = excluded.limit_nanos, key_revision = excluded.key_revision, alerted_percent = CASE
        WHEN c.limit_nanos = excluded.limit_nanos THEN c.alerted_percent
        WHEN c.spent >= excluded.limit_nanos - excluded.limit_nanos / 5 THEN 80 ELSE 0 END
    RETURNING c.spent`,
  grant: `
    WITH g AS (
      SELECT * FROM unnest($3::uuid[], $4::ledger.cap_period[], $5::bigint[], $6::bigint[])
        AS g (key_id, period, period_start_ms, amount)
    ), lent AS (
      UPDATE ledger.caps c SET leased = c.leased + g.amount FROM g
      WHERE c.account_id = $2 AND c.key_id = g.key_id AND c.period = g.period AND c.period_start_ms = g.period_start_ms
    )
    INSERT INTO ledger.cap_leases AS l (account_id, key_id, period, period_start_ms, session_id, granted, acquire_sequence)
    SELECT $2, key_id, period, period_start_ms, $1, amount, $7 FROM g
    ON CONFLICT (account_id, key_id, period, period_start_ms, session_id) DO UPDATE
      SET granted = l.granted + excluded.granted, acquire_sequence = excluded.acquire_sequence`,
  spend: `
    WITH leases AS (
      UPDATE ledger.cap_leases l SET spent = l.spent + $3 WHERE l.account_id = $1 AND l.key_id = $2
    )
    UPDATE ledger.caps c SET spent = c.spent + $3, leased = c.leased - $3 WHERE c.account_id = $1 AND c.key_id = $2`,
  free: `
    WITH freed AS (
      DELETE FROM ledger.cap_leases WHERE session_id = $1 AND account_id = ANY ($2::uuid[])
      RETURNING account_id, key_id, period, period_start_ms, granted - spent - returned AS amount
    )
    UPDATE ledger.caps c SET leased = c.leased - f.amount FROM freed f
    WHERE c.account_id = f.account_id AND c.key_id = f.key_id AND c.period = f.period
      AND c.period_start_ms = f.period_start_ms AND f.amount > 0`,
  remove: 'DELETE FROM ledger.caps WHERE account_id = ANY ($1::uuid[]) RETURNING account_id, key_id',
} as const;

it('the release before caps of projects works on, and what was charged counts for the default project', async () => {
  const older = await createOlderLedger(LAST_WITHOUT);
  const { pool } = older.ledger;
  try {
    await ensurePartitions(pool, Date.now(), MAX_AGE_MS, silent);
    const accountId = await fundedAccount(pool, 1_000n);
    const sessionId = await leasingSession(pool, accountId, 100n);
    const run = (client: PoolClient, name: keyof typeof EARLIER, values: unknown[]) =>
      client.query({ name, text: EARLIER[name], values });
    const writeAndGrant = (amount: bigint) =>
      inTransaction(pool, async (client) => {
        const { rows } = await run(client, 'write', [accountId, KEY, 'total', 0, 200n, 1n, Number.MAX_SAFE_INTEGER]);
        await run(client, 'grant', [sessionId, accountId, [KEY], ['total'], [0], [amount], 1n]);
        return rows;
      });
    await pool.query(
      `INSERT INTO ledger.usage_daily (account_id, start_ms, key_id, model, requests, charged_nanos, cost_nanos, input,
         cache_read, cache_write_5m, cache_write_1h, output, reasoning, image, search)
       SELECT $1, $2::bigint + day * ${DAY_MS}, key, 'm', 1, 10, 10, 0, 0, 0, 0, 0, 0, 0, 0
       FROM unnest($3::uuid[]) AS k (key) CROSS JOIN generate_series(-1, 0) AS d (day)`,
      [accountId, TODAY, [KEY, newId()]],
    );
    expect(await writeAndGrant(30n)).toEqual([{ spent: 20n }]);

    await older.upgrade();
    const { rows: filled } = await pool.query(
      'SELECT day_ms, charged_nanos, filled_nanos FROM ledger.node_usage WHERE account_id = $1 AND node_id = $1 ORDER BY 1',
      [accountId],
    );
    expect(filled).toEqual(
      [TODAY - DAY_MS, TODAY].map((day) => ({ day_ms: BigInt(day), charged_nanos: 20n, filled_nanos: 20n })),
    );
    expect(await writeAndGrant(5n)).toEqual([{ spent: 20n }]);
    await inTransaction(pool, (client) => run(client, 'spend', [accountId, KEY, 7n]));
    const stored = async () =>
      (await pool.query('SELECT node_id, limit_nanos, revision, spent, leased FROM ledger.ceilings')).rows;
    expect(await stored()).toEqual([{ node_id: KEY, limit_nanos: 200n, revision: 1n, spent: 27n, leased: 28n }]);
    await inTransaction(pool, (client) => run(client, 'free', [sessionId, [accountId]]));
    expect(await stored()).toMatchObject([{ leased: 0n }]);
    const removed = await inTransaction(pool, (client) => run(client, 'remove', [[accountId]]));
    expect(removed.rows).toEqual([{ account_id: accountId, key_id: KEY }]);

    const demand = { grantedTotalNeeded: 50n, sequence: 1n, limitNanos: 100n, revision: 1n };
    const cap = { accountId, nodeId: accountId, period: 'total', startMs: 0 } as const;
    expect(await acquireCap(pool, sessionId, cap, demand)).toMatchObject({ leftNanos: 60n });
    const nodes = [{ nodeId: accountId, caps: [CapPeriod.TOTAL], name: 'default', scope: 'project' }];
    await settle(pool, buildCharge({ accountId, sessionId, nodes }, 3n));
    expect(await stored()).toMatchObject([{ node_id: accountId, spent: 43n, leased: 47n }]);
    const broken = await brokenInvariants(pool);
    expect(broken.filter((each) => /^(cap|node_usage)_equals_charges/.test(each))).toEqual([]);
  } finally {
    await older.ledger.drop();
  }
});

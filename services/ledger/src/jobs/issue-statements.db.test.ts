import { newId } from '@tollgate/common/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fundedAccount } from '../../testing/ledger-calls.ts';
import { type ClockedLedger, createClockedLedger } from '../../testing/ledger-clock.ts';
import { silent } from '../../testing/ledger-fixture.ts';
import { makeDeposit } from '../deposits/make-deposit.ts';
import { LateIndexes } from '../store/late-indexes.ts';
import { createStatementIssuer } from './issue-statements.ts';

const at = (text: string) => Date.parse(`${text}Z`);
const NEVER = new AbortController().signal;

let ledger: ClockedLedger;
beforeEach(async () => {
  ledger = await createClockedLedger(at('2026-01-20T10:00'));
});
afterEach(() => ledger.drop());

/** The job of a replica. */
function replica(): () => Promise<void> {
  const { pool } = ledger;
  const issue = createStatementIssuer({ pool, lateIndexes: new LateIndexes(pool), logger: silent });
  return () => issue(NEVER);
}

async function issued(): Promise<Record<string, number>> {
  const { rows } = await ledger.pool.query<{ month: string; count: number }>(
    `SELECT to_char(to_timestamp(month_ms / 1000) AT TIME ZONE 'UTC', 'YYYY-MM') AS month, count(*)::int AS count
     FROM ledger.statements GROUP BY 1 ORDER BY 1`,
  );
  return Object.fromEntries(rows.map(({ month, count }) => [month, count]));
}

describe('statements of all accounts', () => {
  it('are issued once by several replicas at once, and looked for again when the next are due', async () => {
    for (let count = 0; count < 12; count += 1) await fundedAccount(ledger.pool, 10n);
    const replicas = [replica(), replica(), replica()];
    const all = () => Promise.all(replicas.map((issue) => issue()));
    await all();
    expect(await issued()).toEqual({});
    await ledger.setTime(at('2026-02-02T00:00'));
    await fundedAccount(ledger.pool, 10n);
    await all();
    await all();
    expect(await issued()).toEqual({ '2026-01': 12 });
    await ledger.setTime(at('2026-03-01T23:59'));
    await all();
    expect(await issued()).toEqual({ '2026-01': 12 });
    await ledger.setTime(at('2026-03-02T00:00'));
    await all();
    expect(await issued()).toEqual({ '2026-01': 12, '2026-02': 13 });
  });

  it('are issued though one does not agree with its balance, which is tried again an hour later', async () => {
    const accounts = [newId(), newId(), newId()].sort();
    for (const accountId of accounts) {
      const input = { accountId, kind: 'deposit', amountNanos: 10n, idempotencyKey: 'first', reason: 'test' } as const;
      await makeDeposit(ledger.pool, input);
    }
    const alter = (amount: number) =>
      ledger.pool.query('UPDATE ledger.deposits SET amount_nanos = $2 WHERE account_id = $1', [accounts[1], amount]);
    await alter(11);
    const issue = replica();
    await ledger.setTime(at('2026-02-02T00:00'));
    await issue();
    expect(await issued()).toEqual({ '2026-01': 2 });
    await alter(10);
    await issue();
    expect(await issued()).toEqual({ '2026-01': 2 });
    await ledger.setTime(at('2026-02-02T01:00'));
    await issue();
    expect(await issued()).toEqual({ '2026-01': 3 });
  });

  it('wait for the index on credit that ended', async () => {
    await fundedAccount(ledger.pool, 10n);
    await ledger.setTime(at('2026-02-02T00:00'));
    const { rows } = await ledger.pool.query<{ definition: string }>(
      "SELECT pg_get_indexdef('ledger.transfers_expired'::regclass) AS definition",
    );
    await ledger.pool.query('DROP INDEX ledger.transfers_expired');
    const issue = replica();
    await issue();
    expect(await issued()).toEqual({});
    await ledger.pool.query((rows[0]?.definition ?? '').replace(' ON ONLY ', ' ON '));
    await issue();
    expect(await issued()).toEqual({ '2026-01': 1 });
  });
});

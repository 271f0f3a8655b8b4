import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLedger, type LedgerFixture, MAX_AGE_MS, silent } from '../../testing/ledger-fixture.ts';
import { ensurePartition, ensurePartitions, monthsAhead } from '../store/partitions.ts';
import { DAY_MS, monthStart } from '../store/time.ts';
import { createPartitionReporter } from './partitions.ts';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());

async function partitionsOf(table: string): Promise<string[]> {
  const { rows } = await ledger.pool.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass ORDER BY 1`,
    [`ledger.${table}`],
  );
  return rows.map((row) => row.name);
}

describe('partitions', () => {
  it('are created years ahead, by several replicas at once', async () => {
    const before = await partitionsOf('charges');
    const later = Date.now() + 365 * DAY_MS;
    await Promise.all([1, 2, 3].map(() => ensurePartitions(ledger.pool, later, MAX_AGE_MS, silent)));
    const made = await partitionsOf('charges');
    expect(made.length).toBeGreaterThanOrEqual(before.length + 4);
    expect(await partitionsOf('transfers')).toEqual(made.map((name) => name.replace('charges', 'transfers')));
  });

  it('hold one month each and have the keys and indexes of their table', async () => {
    const month = Date.UTC(2031, 11, 15);
    expect(await ensurePartition(ledger.pool, 'charges', month)).toBe(true);
    expect(await ensurePartition(ledger.pool, 'charges', monthStart(month))).toBe(false);
    const { rows } = await ledger.pool.query<{ bound: string; indexes: bigint }>(
      `SELECT pg_get_expr(relpartbound, oid) AS bound,
              (SELECT count(*) FROM pg_index WHERE indrelid = c.oid) AS indexes
       FROM pg_class c WHERE relname = 'charges_2031_12'`,
    );
    expect(rows).toEqual([
      {
        bound: `FOR VALUES FROM ('01c6ea82-e800-0000-0000-000000000000') TO ('01c78a28-0c00-0000-0000-000000000000')`,
        indexes: 5n,
      },
    ]);
  });

  it('log an error while too few exist ahead', async () => {
    const now = Date.UTC(2040, 0, 31);
    await ensurePartitions(ledger.pool, now, MAX_AGE_MS, silent);
    expect(await monthsAhead(ledger.pool, now)).toBe(2);
    const alarm = vi.spyOn(silent, 'error').mockReturnValue();
    const report = createPartitionReporter(ledger.pool, silent);
    expect(await report(now)).toBe(2);
    expect(alarm).not.toHaveBeenCalled();
    expect(await report(monthStart(now, 1))).toBe(1);
    expect(alarm).toHaveBeenCalledTimes(1);
    // A gap counts, even if later months exist.
    await ledger.pool.query('DROP TABLE ledger.transfers_2040_02');
    expect(await report(now)).toBe(0);
    expect(await monthsAhead(ledger.pool, monthStart(now, 12))).toBe(-1);
    alarm.mockRestore();
  });
});

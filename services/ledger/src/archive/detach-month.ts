import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { MonthTables } from './carry-forward.ts';

/**
 * Takes the partitions of a month out of their tables and into the schema ledger_archive. Everything else waits for the
 * tables from here to the commit, so this comes last; the caller has bounded how long it may wait itself.
 */
export async function detachMonth(client: PoolClient, tables: MonthTables): Promise<void> {
  for (const [table, partition] of [
    ['charges', tables.charges],
    ['transfers', tables.transfers],
  ] as const) {
    await client.query(`ALTER TABLE ledger.${table} DETACH PARTITION ledger.${partition}`);
    await client.query(`ALTER TABLE ledger.${partition} SET SCHEMA ledger_archive`);
  }
}

import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import { idFloor, monthStart } from '../request-time.ts';

/** Tables partitioned by month of the UUIDv7 in their key. */
export type PartitionedTable = 'charges' | 'transfers';

/** The name of the partition that holds the UTC month of a time, such as charges_2026_01. */
export function partitionName(table: PartitionedTable, unixMs: number): string {
  return `${table}_${new Date(unixMs).toISOString().slice(0, 7).replace('-', '_')}`;
}

/**
 * Makes the partition of the UTC month of a time, where it is missing. It is made beside the table and then attached,
 * which settlements do not wait for.
 *
 * @returns whether it was missing
 */
export function ensurePartition(pool: Pool, table: PartitionedTable, unixMs: number): Promise<boolean> {
  const name = partitionName(table, unixMs);
  const from = idFloor(monthStart(unixMs));
  const to = idFloor(monthStart(unixMs, 1));
  return inTransaction(pool, async (client) => {
    await client.query("SET LOCAL lock_timeout = '5s'");
    // One process at a time; the others find the partition made.
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended('tollgate-ledger-partitions', 0))");
    const { rows } = await client.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
      `ledger.${name}`,
    ]);
    if (rows[0]?.found) return false;
    await client.query(`CREATE TABLE ledger.${name} (LIKE ledger.${table} INCLUDING ALL)`);
    await client.query(
      `ALTER TABLE ledger.${table} ATTACH PARTITION ledger.${name} FOR VALUES FROM ('${from}') TO ('${to}')`,
    );
    return true;
  });
}

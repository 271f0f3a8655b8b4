import { idFloor } from '@tollgate/common/ids';
import type { Logger } from '@tollgate/common/logging';
import { inTransaction, type Pool, type PoolClient, type Queryable } from '@tollgate/common/postgres/pool';
import { type RetryOptions, withRetries } from './retry.ts';
import { MAX_CLOCK_SKEW_MS, monthName, monthStart } from './time.ts';

const MONTH_IN_NAME = /_(\d{4})_(\d{2})$/;

/** The UTC months that a table has partitions for, ascending, as the Unix milliseconds of their start. */
export async function listPartitions(db: Queryable, table: PartitionedTable): Promise<number[]> {
  const { rows } = await db.query<{ name: string }>({
    name: 'list-partitions',
    text: `
      SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = $1::regclass ORDER BY c.relname`,
    values: [`ledger.${table}`],
  });
  return rows.map((row) => monthOfName(row.name));
}

function monthOfName(name: string): number {
  const match = MONTH_IN_NAME.exec(name);
  if (match === null) throw new Error(`${name} is not named as a partition of a month`);
  return Date.UTC(Number(match[1]), Number(match[2]) - 1, 1);
}

/** Tables partitioned by month of the UUIDv7 in their key. */
export type PartitionedTable = 'charges' | 'transfers';

/** The name of the partition for the UTC month of a time, such as charges_2026_01. */
export function partitionName(table: PartitionedTable, unixMs: number): string {
  return `${table}_${monthName(unixMs).replace('-', '_')}`;
}

/**
 * Creates the partition for the UTC month of a time if it is missing. It is created as a table and then attached, which does
 * not block settlements.
 *
 * @returns whether it was missing
 */
export function ensurePartition(pool: Pool, table: PartitionedTable, unixMs: number): Promise<boolean> {
  const name = partitionName(table, unixMs);
  const from = idFloor(monthStart(unixMs));
  const to = idFloor(monthStart(unixMs, 1));
  return inTransaction(pool, async (client) => {
    await client.query("SET LOCAL lock_timeout = '5s'");
    // One process at a time; the others find the partition created.
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

/**
 * Moves the charges of a month into the schema ledger_archive. It blocks everything else on charges until the commit, so it must
 * come last; the caller sets the lock timeout.
 */
export async function detachCharges(client: PoolClient, monthMs: number): Promise<void> {
  const name = partitionName('charges', monthMs);
  await client.query(`ALTER TABLE ledger.charges DETACH PARTITION ledger.${name}`);
  await client.query(`ALTER TABLE ledger.${name} SET SCHEMA ledger_archive`);
}

const TABLES: readonly PartitionedTable[] = ['charges', 'transfers'];

/** Months created in advance: for so long the ledger may be down or its job may fail. */
export const MONTHS_AHEAD = 2;

/** The UTC months of charges now and soon: from the oldest one still accepted to MONTHS_AHEAD. */
export function monthsNeeded(nowMs: number, maxAgeMs: number): number[] {
  const last = monthStart(nowMs + MAX_CLOCK_SKEW_MS, MONTHS_AHEAD);
  const months: number[] = [];
  for (let month = monthStart(nowMs - maxAgeMs); month <= last; month = monthStart(month, 1)) months.push(month);
  return months;
}

/** Creates the missing partitions of all months needed. */
export async function ensurePartitions(
  pool: Pool,
  nowMs: number,
  maxAgeMs: number,
  logger: Logger,
  retry?: RetryOptions,
): Promise<void> {
  for (const table of TABLES) {
    const there = new Set(await withRetries(() => listPartitions(pool, table), retry));
    for (const month of monthsNeeded(nowMs, maxAgeMs)) {
      if (there.has(month)) continue;
      const made = await withRetries(() => ensurePartition(pool, table, month), retry);
      if (made) logger.info({ table, month: monthName(month) }, 'partition created');
    }
  }
}

/** How many months after that of a time all tables have partitions for, without a gap. */
export async function monthsAhead(pool: Pool, nowMs: number): Promise<number> {
  const counts = await Promise.all(
    TABLES.map(async (table) => {
      const months = new Set(await listPartitions(pool, table));
      let ahead = -1;
      while (months.has(monthStart(nowMs, ahead + 1))) ahead++;
      return ahead;
    }),
  );
  return Math.min(...counts);
}

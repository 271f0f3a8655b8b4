import type { Queryable } from '@tollgate/common/postgres/pool';
import type { PartitionedTable } from './ensure-partition.ts';

const MONTH_IN_NAME = /_(\d{4})_(\d{2})$/;

/** The UTC months that a table has partitions for, ascending, as the Unix milliseconds of their begin. */
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

/** The oldest month that charges or transfers have a partition for; undefined when there is none. */
export async function oldestMonth(db: Queryable): Promise<number | undefined> {
  const months = [...(await listPartitions(db, 'charges')), ...(await listPartitions(db, 'transfers'))];
  return months.length === 0 ? undefined : Math.min(...months);
}

function monthOfName(name: string): number {
  const match = MONTH_IN_NAME.exec(name);
  if (match === null) throw new Error(`${name} is not named as a partition of a month`);
  return Date.UTC(Number(match[1]), Number(match[2]) - 1, 1);
}

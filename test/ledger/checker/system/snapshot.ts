import { inTransaction, type Pool, type Queryable } from '@tollgate/common/postgres/pool';
import { UNGUARDED } from '@tollgate/ledger/testing/unguarded';

/** A ledger's database at an earlier time. */
export interface Snapshot {
  text: string;
  takenAtMs: number;
  lastSweepMs: number | undefined;
}

/** The content of a ledger's tables, as one JSON text. */
export async function takeSnapshot(db: Queryable, tables: readonly string[]): Promise<string> {
  const parts = tables.map((table) => `'${table}', (SELECT coalesce(jsonb_agg(t), '[]') FROM ${table} t)`);
  const { rows } = await db.query<{ snapshot: string }>(
    `SELECT jsonb_build_object(${parts.join(', ')})::text AS snapshot`,
  );
  return rows[0]?.snapshot ?? '{}';
}

/** Restores the tables from a snapshot: another database, without the commits since then. */
export async function restoreSnapshot(pool: Pool, tables: readonly string[], snapshot: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query(UNGUARDED);
    for (const table of tables) await client.query(`DELETE FROM ${table}`);
    await client.query("SELECT set_config('history.snapshot', $1, true)", [snapshot]);
    const filled = tables.map(
      (table) =>
        `INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(
           null::${table}, current_setting('history.snapshot')::jsonb -> '${table}')`,
    );
    await client.query(filled.join('; '));
    await client.query('UPDATE ledger.meta SET database_id = gen_random_uuid()');
  });
}

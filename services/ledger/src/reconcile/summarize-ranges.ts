import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';

/** Months whose partitions may have grown since the last time: the one that ends, the one that begins, and one more. */
const GROWING = 3;

/**
 * Brings the index by time of the growing partitions up to date. Postgres does so when it vacuums a table, which may be
 * long after millions of rows were added; until then all of those are read each time.
 *
 * Gives way to whatever else works on a partition: a lock that is not there at once is tried again the next time.
 */
export async function summarizeRanges(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>({
    name: 'growing-indexes',
    text: `
      SELECT name FROM (
        SELECT i.indexrelid::regclass::text AS name,
               row_number() OVER (PARTITION BY h.inhparent ORDER BY c.relname DESC) AS place
        FROM pg_inherits h
        JOIN pg_class c ON c.oid = h.inhrelid
        JOIN pg_index i ON i.indrelid = h.inhrelid
        JOIN pg_class x ON x.oid = i.indexrelid
        JOIN pg_am a ON a.oid = x.relam AND a.amname = 'brin'
        WHERE h.inhparent IN ('ledger.charges'::regclass, 'ledger.transfers'::regclass)
          AND pg_relation_size(c.oid) > 0
      ) ranked
      WHERE place <= $1`,
    values: [GROWING],
  });
  for (const { name } of rows) {
    await inTransaction(pool, async (client) => {
      // Shorter than the time after which Postgres ends an autovacuum that is in the way.
      await client.query("SELECT set_config('lock_timeout', '300ms', true)");
      await client.query({
        name: 'summarize-ranges',
        text: 'SELECT brin_summarize_new_values($1::regclass)',
        values: [name],
      });
    }).catch((error: unknown) => {
      if (!isLockTimeout(error)) throw error;
    });
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}

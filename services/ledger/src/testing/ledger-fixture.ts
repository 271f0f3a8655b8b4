import { createLogger } from '@tollgate/common/logging';
import { migrate } from '@tollgate/common/postgres/migrate';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { freshDatabase } from '@tollgate/test/support';
import { MIGRATIONS_FOLDER, SCHEMA } from '../migrations-folder.ts';
import { ensurePartitions } from '../partitions.ts';
import { DAY_MS } from '../request-time.ts';

/** Charges older than this are refused, in tests. */
export const MAX_AGE_MS = 31 * DAY_MS;

export const silent = createLogger('test', 'silent');

export interface LedgerFixture {
  pool: Pool;
  url: string;
  drop: () => Promise<void>;
}

/** An empty ledger in a database of its own. */
export async function createLedger(): Promise<LedgerFixture> {
  const database = await freshDatabase();
  await migrate({ databaseUrl: database.url, schema: SCHEMA, folder: MIGRATIONS_FOLDER }, silent);
  const pool = createPool({ url: database.url, size: 8, applicationName: 'tollgate-ledger-test' }, silent);
  await ensurePartitions(pool, Date.now(), MAX_AGE_MS, silent);
  return {
    pool,
    url: database.url,
    drop: async () => {
      await pool.end();
      await database.drop();
    },
  };
}

import { createLogger } from '@tollgate/common/logging';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { migratedDatabase } from '@tollgate/test-support/stores/fresh-database';
import { ensurePartitions } from '../src/store/partitions.ts';
import { DAY_MS } from '../src/store/time.ts';

/** Maximum age of charges in tests. */
export const MAX_AGE_MS = 31 * DAY_MS;

export const silent = createLogger('test', 'silent');

export interface LedgerFixture {
  pool: Pool;
  url: string;
  drop: () => Promise<void>;
}

/** An empty ledger in a database of its own, with the partitions that a ledger creates when it starts. */
export async function createLedger(): Promise<LedgerFixture> {
  const database = await migratedDatabase();
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

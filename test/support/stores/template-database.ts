import { randomBytes } from 'node:crypto';
import { createLogger } from '@tollgate/common/logging';
import { createPool } from '@tollgate/common/postgres/pool';
import { ACTOR_SETTINGS } from '@tollgate/common/testing/actors';
import { configSchema } from '@tollgate/ledger/config';
import { ensurePartitions } from '@tollgate/ledger/store/partitions';
import { oneLogin, runMigrations } from '@tollgate/local';
import { executeAt, urlOfDatabase } from './postgres-server.ts';

/** The template of test databases. */
export interface TemplateDatabase {
  name: string;
  drop: () => Promise<void>;
}

/** Creates a database with all migrations and the partitions of a starting ledger. */
export async function makeTemplateDatabase(serverUrl: string): Promise<TemplateDatabase> {
  const name = `tollgate_template_${randomBytes(8).toString('hex')}`;
  await executeAt(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0`);
  const drop = () => executeAt(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  try {
    const url = urlOfDatabase(serverUrl, name);
    await runMigrations(oneLogin(url), process.env);
    const silent = createLogger('test', 'silent');
    const pool = createPool({ url, size: 1, applicationName: 'tollgate-test' }, silent);
    const { CHARGE_MAX_AGE_MS } = configSchema.parse({
      DATABASE_URL: url,
      AUTH_ADDRESS: '127.0.0.1:1',
      ...ACTOR_SETTINGS,
    });
    await ensurePartitions(pool, Date.now(), CHARGE_MAX_AGE_MS, silent).finally(() => pool.end());
    return { name, drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

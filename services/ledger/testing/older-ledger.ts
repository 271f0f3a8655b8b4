import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { migrate, readMigrations } from '@tollgate/common/postgres/migrate';
import { createPool } from '@tollgate/common/postgres/pool';
import { freshDatabase } from '@tollgate/test-support/stores/fresh-database';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { MIGRATIONS_FOLDER } from '../src/folders.ts';
import { SCHEMA } from '../src/store/schema.ts';
import { type LedgerFixture, silent } from './ledger-fixture.ts';

/** An empty ledger as an older release has it, with one connection, and its upgrade. */
export async function createOlderLedger(
  lastMigration: number,
): Promise<{ ledger: LedgerFixture; upgrade: () => Promise<unknown> }> {
  const database = await freshDatabase();
  const older = makeTemporaryFolder();
  for (const { version, name } of readMigrations(MIGRATIONS_FOLDER).slice(0, lastMigration)) {
    const file = `${String(version).padStart(4, '0')}-${name}.sql`;
    cpSync(join(MIGRATIONS_FOLDER, file), join(older.path, file));
  }
  await migrate({ databaseUrl: database.url, schema: SCHEMA, folder: older.path }, silent);
  older.remove();
  const pool = createPool({ url: database.url, size: 1, applicationName: 'tollgate-ledger-test' }, silent);
  const drop = async () => {
    await pool.end();
    await database.drop();
  };
  const upgrade = () => migrate({ databaseUrl: database.url, schema: SCHEMA, folder: MIGRATIONS_FOLDER }, silent);
  return { ledger: { pool, url: database.url, drop }, upgrade };
}

import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '@tollgate/common/ids';
import { migrate } from '@tollgate/common/postgres/migrate';
import { createPool } from '@tollgate/common/postgres/pool';
import { freshDatabase } from '@tollgate/test-support/stores/fresh-database';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { expect, it } from 'vitest';
import { migrateAuth, silent } from '../../testing/auth-under-test.ts';
import { MIGRATIONS_FOLDER } from '../folders.ts';
import { SCHEMA } from './schema.ts';

it('finds the creators of existing management keys in the audit log', async () => {
  const database = await freshDatabase();
  const earlier = makeTemporaryFolder();
  for (const file of readdirSync(MIGRATIONS_FOLDER).filter((name) => name < '0003')) {
    copyFileSync(join(MIGRATIONS_FOLDER, file), join(earlier.path, file));
  }
  await migrate({ databaseUrl: database.url, schema: SCHEMA, folder: earlier.path }, silent);
  const pool = createPool({ url: database.url, size: 1, applicationName: 'test' }, silent);
  const [ofPerson, ofCommandLine, personId] = [newId(), newId(), newId()];
  await pool.query(
    `INSERT INTO auth.management_keys
       (management_key_id, name, role, key_sha256, display_prefix, last_four, created_by_name, expires_at)
     SELECT id, 'a key', 'operator', sha256(id::text::bytea), '', '', 'somebody', now() FROM unnest($1::uuid[]) id`,
    [[ofPerson, ofCommandLine]],
  );
  await pool.query(
    `INSERT INTO auth.audit (actor_id, actor_name, actor_role, actor_via, action, target_id, target_name, details)
     VALUES ($1, '', '', '', 'management_key.create', $2, '', '{}'), (NULL, '', '', '', 'management_key.create', $3, '', '{}'),
            ($4, '', '', '', 'management_key.delete', $2, '', '{}')`,
    [personId, ofPerson, ofCommandLine, newId()],
  );
  await migrateAuth(database.url);
  const { rows } = await pool.query(
    'SELECT management_key_id AS id, created_by_id FROM auth.management_keys ORDER BY 1',
  );
  expect(rows).toEqual(
    [
      { id: ofPerson, created_by_id: personId },
      { id: ofCommandLine, created_by_id: null },
    ].sort((a, b) => (a.id < b.id ? -1 : 1)),
  );
  await pool.end();
  earlier.remove();
  await database.drop();
});

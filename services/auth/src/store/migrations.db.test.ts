import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '@tollgate/common/ids';
import { migrate } from '@tollgate/common/postgres/migrate';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { freshDatabase } from '@tollgate/test-support/stores/fresh-database';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { expect, it } from 'vitest';
import { migrateAuth, silent } from '../../testing/auth-under-test.ts';
import { MIGRATIONS_FOLDER } from '../folders.ts';
import { findKey } from './key-lists.ts';
import { findKeyBySha256 } from './resolvable-keys.ts';
import { SCHEMA } from './schema.ts';

/** A database with the migrations before one of them, and what the test does with it. */
async function before(migration: string, work: (pool: Pool, url: string) => Promise<void>): Promise<void> {
  const database = await freshDatabase();
  const earlier = makeTemporaryFolder();
  for (const file of readdirSync(MIGRATIONS_FOLDER).filter((name) => name < migration)) {
    copyFileSync(join(MIGRATIONS_FOLDER, file), join(earlier.path, file));
  }
  await migrate({ databaseUrl: database.url, schema: SCHEMA, folder: earlier.path }, silent);
  const pool = createPool({ url: database.url, size: 1, applicationName: 'test' }, silent);
  await work(pool, database.url);
  await pool.end();
  earlier.remove();
  await database.drop();
}

it('finds the creators of existing management keys in the audit log', async () => {
  await before('0003', async (pool, url) => {
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
    await migrateAuth(url);
    const { rows } = await pool.query(
      'SELECT management_key_id AS id, created_by_id FROM auth.management_keys ORDER BY 1',
    );
    expect(rows).toEqual(
      [
        { id: ofPerson, created_by_id: personId },
        { id: ofCommandLine, created_by_id: null },
      ].sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
  });
});

it('puts existing accounts and keys into projects, below the members who made them', async () => {
  await before('0010', async (pool, url) => {
    const [maker, idle, gone, operator] = [newId(), newId(), newId(), newId()];
    const [accountId = '', other = ''] = [newId(), newId()].sort();
    await pool.query(
      `INSERT INTO auth.accounts (account_id, name, tag) VALUES ($1, 'Acme', 'aaaaaa'), ($2, 'Other', 'bbbbbb')`,
      [accountId, other],
    );
    await pool.query(
      `INSERT INTO auth.people (person_id, email, name) SELECT id, id::text || '@example.com', '' FROM unnest($1::uuid[]) id`,
      [[maker, idle, gone, operator]],
    );
    await pool.query(
      `INSERT INTO auth.memberships (account_id, person_id, role) SELECT $1, id, 'developer' FROM unnest($2::uuid[]) id`,
      [accountId, [maker, idle]],
    );
    const keyBy = async (createdBy: string | null) => {
      const keyId = newId();
      await pool.query(
        `INSERT INTO auth.keys (key_id, account_id, name, key_sha256, display_prefix, last_four, created_by_id)
         VALUES ($1, $2, 'a key', sha256($3::bytea), '', '', $4)`,
        [keyId, accountId, keyId, createdBy],
      );
      return keyId;
    };
    const keys = [await keyBy(maker), await keyBy(gone), await keyBy(operator), await keyBy(null)];
    await migrateAuth(url);
    // A service of the previous release goes on for a while.
    keys.push(await keyBy(maker));
    const { rows: nodes } = await pool.query(
      'SELECT account_id, node_id = account_id AS is_default, kind, name, person_id FROM auth.nodes ORDER BY account_id, kind',
    );
    const project = { is_default: true, kind: 'project', name: 'default', person_id: null };
    expect(nodes).toEqual([
      {
        ...{ account_id: accountId, is_default: false, kind: 'member' },
        ...{ name: `${maker}@example.com`, person_id: maker },
      },
      { account_id: accountId, ...project },
      { account_id: other, ...project },
    ]);
    const owner = { kind: 'member', id: maker, name: `${maker}@example.com` };
    const found = await Promise.all(
      keys.map((keyId) => findKey(pool, { accountId: undefined, createdById: undefined }, keyId)),
    );
    const place = { project_id: accountId, project_name: 'default', off: false };
    expect(found).toMatchObject([
      { ...place, owner },
      { ...place, owner: null, owner_id: null },
      { ...place, owner: null },
      { ...place, owner: null },
      { ...place, owner },
    ]);
    const [first = ''] = keys;
    await pool.query(`UPDATE auth.nodes SET disabled_at = now() WHERE person_id = $1`, [maker]);
    const sha256 = createHash('sha256').update(first).digest();
    expect(await findKeyBySha256(pool, sha256)).toMatchObject({
      off: true,
      nodes: [{ kind: 'project' }, { kind: 'member' }],
    });
  });
});

import { isUuid } from '@tollgate/common/ids';
import type { Queryable } from '@tollgate/common/postgres/pool';
import { MAKER_ID, PROJECT_ID } from './key-place.ts';
import { KEY_COLUMNS, type KeyRow } from './keys.ts';

/** Which keys are visible: an account's (undefined: all), or only what one developer made. */
export interface KeyScope {
  accountId: string | undefined;
  createdById: string | undefined;
  /** Only keys that are in these projects; undefined: in all. */
  projectIds?: readonly string[] | undefined;
}

/** SQL: whether a key is in one of the projects in a parameter, if that is not null. */
const inProjects = (place: string) => `(${place}::uuid[] IS NULL OR ${PROJECT_ID} = ANY (${place}))`;

/** Finds a key. */
export async function findKey(db: Queryable, scope: KeyScope, keyId: string): Promise<KeyRow | undefined> {
  const { rows } = await db.query<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM auth.keys k
     WHERE key_id = $3 AND account_id = coalesce($1::uuid, account_id)
       AND ($2::uuid IS NULL OR ${MAKER_ID} = $2) AND ${inProjects('$4')}`,
    [scope.accountId, scope.createdById, keyId, scope.projectIds],
  );
  return rows[0];
}

/** A page of a list of keys. */
interface KeyPage {
  /** Undefined: from the newest. */
  before: string | undefined;
  limit: number;
  /** Only keys with this text in their name, in any case, or with these last four characters or this id. Undefined: all. */
  text: string | undefined;
}

/** Keys of an account or a project that are not derived, or those right below one, deleted ones too, newest first. */
export async function listKeys(
  db: Queryable,
  {
    accountId,
    createdById,
    projectIds,
    projectId,
    parentKeyId,
  }: KeyScope & {
    accountId: string;
    projectId: string | undefined;
    parentKeyId: string | undefined;
  },
  { before, limit, text }: KeyPage,
): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM auth.keys k
     WHERE account_id = $1 AND key_id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
       ${parentKeyId === undefined ? 'AND parent_key_id IS NULL AND $7::uuid IS NULL' : 'AND parent_key_id = $7'}
       ${createdById === undefined ? 'AND $4::uuid IS NULL' : `AND ${parentKeyId === undefined ? 'created_by_id' : MAKER_ID} = $4`}
       AND ${inProjects('$8')}
       ${projectId === undefined ? 'AND $6::uuid IS NULL' : `AND ${PROJECT_ID} = $6`}
       AND ($5::text IS NULL OR strpos(lower(name), lower($5)) > 0 OR lower(last_four) = lower($5)
            OR key_id::text = lower($5))
     ORDER BY key_id DESC LIMIT $3`,
    [accountId, before, limit, createdById, text, projectId, parentKeyId, projectIds],
  );
  return rows;
}

/** The keys with a value, current or before the last rotation, deleted ones too; at most two, of different accounts. */
export async function findKeysBySha256(db: Queryable, scope: KeyScope, sha256: Buffer): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM auth.keys k
     WHERE (key_sha256 = $3 OR previous_sha256 = $3)
       AND ($1::uuid IS NULL OR account_id = $1) AND ($2::uuid IS NULL OR ${MAKER_ID} = $2)
       AND ${inProjects('$4')}`,
    [scope.accountId, scope.createdById, sha256, scope.projectIds],
  );
  return rows;
}

/** Keys whose current value ends with four characters, deleted ones too, newest first. */
export async function findKeysByLastFour(
  db: Queryable,
  scope: KeyScope,
  lastFour: string,
  limit: number,
): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM auth.keys k
     WHERE last_four = $3 AND ($1::uuid IS NULL OR account_id = $1) AND ($2::uuid IS NULL OR created_by_id = $2)
       AND ${inProjects('$5')}
     ORDER BY key_id DESC LIMIT $4`,
    [scope.accountId, scope.createdById, lastFour, limit, scope.projectIds],
  );
  return rows;
}

/**
 * Keys of all accounts whose name begins with a text, in any case, or with these last four characters or this id, newest
 * first.
 */
export async function findKeysByText(db: Queryable, text: string, limit: number): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM auth.keys k WHERE key_id IN (
       (SELECT key_id FROM auth.keys
        WHERE lower(name) COLLATE "C" >= lower($1) AND lower(name) COLLATE "C" < lower($1) || U&'\\+10FFFF' LIMIT $2)
       UNION (SELECT key_id FROM auth.keys WHERE last_four = $1 ORDER BY key_id DESC LIMIT $2)
       UNION (SELECT key_id FROM auth.keys WHERE key_id = $3)
     )
     ORDER BY key_id DESC LIMIT $2`,
    [text, limit, isUuid(text) ? text : null],
  );
  return rows;
}

/** Keys of an account by their ids, deleted ones too, newest first. */
export async function findKeysById(
  db: Queryable,
  { accountId, createdById, projectIds }: KeyScope & { accountId: string },
  keyIds: readonly string[],
): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM auth.keys k
     WHERE key_id = ANY ($1::uuid[]) AND account_id = $2 AND ($3::uuid IS NULL OR ${MAKER_ID} = $3)
       AND ${inProjects('$4')}
     ORDER BY key_id DESC`,
    [keyIds, accountId, createdById, projectIds],
  );
  return rows;
}

export interface LiveKey {
  key_id: string;
  key_sha256: Buffer;
  previous_sha256: Buffer | null;
}

/** Keys of an account that are not deleted, in order of their ids, after the given one (undefined: from the first). */
export async function listLiveKeys(
  db: Queryable,
  accountId: string,
  after: string | undefined,
  limit: number,
): Promise<LiveKey[]> {
  const { rows } = await db.query<LiveKey>(
    // Apart: of derived keys, most are dead, and an index has those that are not.
    `(SELECT key_id, key_sha256, previous_sha256 FROM auth.keys
      WHERE account_id = $1 AND key_id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000')
        AND parent_key_id IS NULL AND deleted_at IS NULL ORDER BY key_id LIMIT $3)
     UNION ALL
     (SELECT key_id, key_sha256, previous_sha256 FROM auth.keys
      WHERE account_id = $1 AND key_id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000')
        AND parent_key_id IS NOT NULL AND deleted_at IS NULL ORDER BY key_id LIMIT $3)
     ORDER BY key_id LIMIT $3`,
    [accountId, after, limit],
  );
  return rows;
}

/** The newest keys that somebody made in an account, deleted ones too. */
export async function listKeyIdsOfCreator(
  db: Queryable,
  { accountId, createdById, projectIds }: KeyScope & { accountId: string; createdById: string },
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ key_id: string }>(
    `SELECT key_id FROM auth.keys k WHERE created_by_id = $1 AND account_id = $2 AND ${inProjects('$4')}
     ORDER BY key_id DESC LIMIT $3`,
    [createdById, accountId, limit, projectIds],
  );
  return rows.map((row) => row.key_id);
}

/** The newest keys that somebody made in an account and that are not deleted. */
export async function listActiveKeysOfCreator(
  db: Queryable,
  accountId: string,
  createdById: string,
  limit: number,
): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM auth.keys k
     WHERE created_by_id = $1 AND account_id = $2 AND deleted_at IS NULL ORDER BY key_id DESC LIMIT $3`,
    [createdById, accountId, limit],
  );
  return rows;
}

/** How many keys somebody made in an account that are not deleted, counted up to a limit. */
export async function countActiveKeysOfCreator(
  db: Queryable,
  accountId: string,
  createdById: string,
  limit: number,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (
       SELECT FROM auth.keys WHERE created_by_id = $1 AND account_id = $2 AND deleted_at IS NULL LIMIT $3) active`,
    [createdById, accountId, limit],
  );
  return rows[0]?.count ?? 0;
}

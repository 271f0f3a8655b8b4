import { onlyRow, type Queryable } from '@tollgate/common/postgres/pool';
import { HAS_ENDED } from './key-place.ts';
import { KEY_COLUMNS, type KeyRow } from './keys.ts';

type Known = Pick<KeyRow, 'account_id' | 'key_id'>;

/** Whether keys that are not deleted are below a key. */
export async function hasKeysBelow(db: Queryable, { account_id, key_id }: Known): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT FROM auth.keys WHERE account_id = $1 AND parent_key_id = $2 AND deleted_at IS NULL LIMIT 1`,
    [account_id, key_id],
  );
  return rowCount !== 0;
}

/**
 * Locks all keys below a locked key that are not deleted, in the order of their ids, as reports of their use do. None can be made
 * meanwhile, as that locks every key above.
 */
export async function lockKeysBelow(db: Queryable, { account_id, key_id }: Known): Promise<string[]> {
  const { rows } = await db.query<{ key_id: string }>(
    `WITH RECURSIVE below AS (
       SELECT key_id FROM auth.keys WHERE account_id = $1 AND parent_key_id = $2 AND deleted_at IS NULL
       UNION ALL
       SELECT k.key_id FROM below b JOIN auth.keys k
         ON k.account_id = $1 AND k.parent_key_id = b.key_id AND k.deleted_at IS NULL
     )
     SELECT key_id FROM auth.keys WHERE key_id IN (SELECT key_id FROM below) ORDER BY key_id FOR NO KEY UPDATE`,
    [account_id, key_id],
  );
  return rows.map((row) => row.key_id);
}

/** Deletes all keys below a locked key, for good. @returns how many */
export async function deleteKeysBelow(db: Queryable, key: Known): Promise<number> {
  const below = await lockKeysBelow(db, key);
  if (below.length === 0) return 0;
  const { rowCount } = await db.query(
    'UPDATE auth.keys SET deleted_at = clock_timestamp() WHERE key_id = ANY ($1) AND deleted_at IS NULL',
    [below],
  );
  return rowCount ?? 0;
}

/** The keys above a key, root first. */
export async function findKeysAbove(
  db: Queryable,
  { above_key_ids }: Pick<KeyRow, 'above_key_ids'>,
): Promise<KeyRow[]> {
  if (above_key_ids === null) return [];
  const { rows } = await db.query<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM auth.keys k WHERE k.key_id = ANY ($1) ORDER BY cardinality(k.above_key_ids) NULLS FIRST`,
    [above_key_ids],
  );
  return rows;
}

/** A key, and what of its account a key below it needs. */
export interface ParentRow extends KeyRow {
  tag: string;
  suspended: boolean;
}

/** Finds a key of an account with the keys above it, root first, and locks them, so that none ends while a key is made below. */
export async function lockPath(db: Queryable, accountId: string, keyId: string): Promise<ParentRow[]> {
  const { rows } = await db.query<ParentRow>({
    name: 'lock-path',
    text: `SELECT ${KEY_COLUMNS}, a.tag, a.status = 'suspended' AS suspended
           FROM auth.keys k JOIN auth.accounts a USING (account_id)
           WHERE k.account_id = $1
             AND k.key_id = ANY ((SELECT coalesce(above_key_ids, '{}') || key_id FROM auth.keys WHERE key_id = $2)::uuid[])
           ORDER BY cardinality(k.above_key_ids) NULLS FIRST
           FOR NO KEY UPDATE OF k`,
    values: [accountId, keyId],
  });
  return rows;
}

/**
 * Counts one more derived key of an account, which is inserted already.
 *
 * @returns false: it would be beyond the maximum, as far as is counted
 */
export async function countDerivedKey(db: Queryable, accountId: string, max: number): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'count-derived-key',
    text: `INSERT INTO auth.derived_key_counts AS c (account_id, keys) VALUES ($1, 1)
           ON CONFLICT (account_id) DO UPDATE SET keys = c.keys + 1 WHERE c.keys < $2`,
    values: [accountId, max],
  });
  return rowCount === 1;
}

/**
 * Deletes the derived keys of an account that have ended, by themselves or with a key above, and counts the rest. After
 * `countDerivedKey`, which has locked the count. Keys that are just being changed stay.
 */
export async function recountDerivedKeys(db: Queryable, accountId: string): Promise<number> {
  await db.query(
    `UPDATE auth.keys SET deleted_at = clock_timestamp() WHERE key_id IN (
       SELECT k.key_id FROM auth.keys k
       WHERE k.account_id = $1 AND k.parent_key_id IS NOT NULL AND k.deleted_at IS NULL
         AND (k.expires_at <= clock_timestamp()
              OR EXISTS (SELECT FROM auth.keys p WHERE p.key_id = ANY (k.above_key_ids) AND ${HAS_ENDED}))
       FOR NO KEY UPDATE SKIP LOCKED)`,
    [accountId],
  );
  const { rows } = await db.query<{ keys: number }>(
    `UPDATE auth.derived_key_counts SET keys = (
       SELECT count(*) FROM auth.keys WHERE account_id = $1 AND parent_key_id IS NOT NULL AND deleted_at IS NULL)
     WHERE account_id = $1 RETURNING keys`,
    [accountId],
  );
  return onlyRow(rows, 'a locked count is gone').keys;
}

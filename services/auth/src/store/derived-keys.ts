import { onlyRow, type Queryable } from '@tollgate/common/postgres/pool';
import { HAS_ENDED } from './key-place.ts';
import { KEY_COLUMNS, type KeyRow, type KeyToInsert } from './keys.ts';

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

/**
 * Finds keys of an account with all keys above them, by their ids, and locks them, so that none ends while keys are made below.
 * In the order of their ids, as all who lock several keys do.
 */
export async function lockPaths(
  db: Queryable,
  accountId: string,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, ParentRow>> {
  const { rows } = await db.query<ParentRow>({
    name: 'lock-paths',
    text: `SELECT ${KEY_COLUMNS}, a.tag, a.status = 'suspended' AS suspended
           FROM auth.keys k JOIN auth.accounts a USING (account_id)
           WHERE k.account_id = $1 AND k.key_id = ANY (ARRAY(
             SELECT unnest(coalesce(c.above_key_ids, '{}') || c.key_id) FROM auth.keys c WHERE c.key_id = ANY ($2)))
           ORDER BY k.key_id
           FOR NO KEY UPDATE OF k`,
    values: [accountId, keyIds],
  });
  return new Map(rows.map((row) => [row.key_id, row]));
}

/** A derived key to insert. */
export type DerivedKeyToInsert = KeyToInsert & { aboveKeyIds: readonly string[] };

/** Inserts derived keys. @returns when, which is the same time for all */
export async function insertDerivedKeys(db: Queryable, keys: readonly DerivedKeyToInsert[]): Promise<Date> {
  const { rows } = await db.query<{ created_at: Date }>({
    name: 'insert-derived-keys',
    text: `INSERT INTO auth.keys (${INSERTED_COLUMNS})
           SELECT ${INSERTED_COLUMNS} FROM jsonb_populate_recordset(NULL::auth.keys, $1) RETURNING created_at`,
    values: [JSON.stringify(keys.map(columnsOf))],
  });
  const [first] = rows;
  if (first === undefined) throw new Error('inserted keys were not returned');
  return first.created_at;
}

const INSERTED_COLUMNS = `key_id, account_id, key_sha256, display_prefix, last_four, created_by_name, project_id, owner_id, name,
  allowed_models, expires_at, day_cap_nanos, week_cap_nanos, month_cap_nanos, total_cap_nanos, requests_per_minute,
  tokens_per_minute, open_requests, tags, parent_key_id, above_key_ids`;

/** Large numbers are texts, which JSON does not round. */
function columnsOf({
  keyId,
  accountId,
  sha256,
  displayPrefix,
  lastFour,
  createdBy,
  aboveKeyIds,
  ...rest
}: DerivedKeyToInsert) {
  const columns = Object.entries(rest).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? value.toString() : value,
  ]);
  return {
    ...Object.fromEntries(columns),
    key_id: keyId,
    account_id: accountId,
    key_sha256: `\\x${sha256.toString('hex')}`,
    display_prefix: displayPrefix,
    last_four: lastFour,
    created_by_name: createdBy.name,
    parent_key_id: aboveKeyIds.at(-1),
    above_key_ids: aboveKeyIds,
  };
}

/**
 * Counts more derived keys of an account, as far as they fit.
 *
 * @returns how many may be inserted
 */
export async function takeRoom(db: Queryable, accountId: string, wanted: number, max: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'count-derived-keys',
    text: `INSERT INTO auth.derived_key_counts AS c (account_id, keys) VALUES ($1, $2)
           ON CONFLICT (account_id) DO UPDATE SET keys = c.keys + $2 WHERE c.keys + $2 <= $3`,
    values: [accountId, wanted, max],
  });
  if (rowCount === 1) return wanted;
  const granted = Math.max(0, Math.min(wanted, max - (await recount(db, accountId))));
  await db.query('UPDATE auth.derived_key_counts SET keys = keys + $2 WHERE account_id = $1', [accountId, granted]);
  return granted;
}

/**
 * Deletes the derived keys of an account that have ended, by themselves or with a key above, and counts the rest. After
 * a statement that has locked the count. Keys that are just being changed stay.
 */
async function recount(db: Queryable, accountId: string): Promise<number> {
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

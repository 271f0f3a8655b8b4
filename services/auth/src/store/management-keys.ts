import { type RoleName, roleOf } from '@tollgate/common/actors/roles';
import type { Actor } from '@tollgate/common/actors/token';
import type { NewKey } from '@tollgate/common/keys/index';
import { onlyRow, type Queryable } from '@tollgate/common/postgres/pool';
import type { ManagementKey } from '@tollgate/proto/auth';
import { keyStatusOf, millisecondsOf, ofAccount } from './columns.ts';

/** Columns of a key, in the shape of `ManagementKeyRow`, of auth.management_keys as `k`. */
const COLUMNS = `k.management_key_id, k.account_id, k.name, k.role, k.display_prefix, k.last_four, k.created_by_id,
  k.created_by_name, k.created_at, k.expires_at, k.deleted_at, k.last_used_at,
  EXISTS (
    SELECT FROM auth.people p WHERE p.person_id = k.created_by_id AND NOT p.is_operator AND NOT EXISTS (
      SELECT FROM auth.memberships m WHERE m.account_id = k.account_id AND m.person_id = p.person_id)
  ) AS creator_removed`;

const ACTIVE = 'k.deleted_at IS NULL AND k.expires_at > clock_timestamp()';

/** A row of auth.management_keys. */
export interface ManagementKeyRow {
  management_key_id: string;
  /** Null: of operators. */
  account_id: string | null;
  name: string;
  role: RoleName;
  display_prefix: string;
  last_four: string;
  /** Null: an operator at the command line. */
  created_by_id: string | null;
  created_by_name: string;
  created_at: Date;
  expires_at: Date;
  deleted_at: Date | null;
  last_used_at: Date | null;
  /** Whether the person who created it is neither a member of its account nor an operator any more. */
  creator_removed: boolean;
}

/** The wire form of a management key. */
export function toManagementKey(row: ManagementKeyRow, nowMs: number): ManagementKey {
  return {
    managementKeyId: row.management_key_id,
    accountId: row.account_id ?? '',
    name: row.name,
    role: roleOf(row.role),
    displayPrefix: row.display_prefix,
    lastFour: row.last_four,
    createdAtMs: millisecondsOf(row.created_at),
    expiresAtMs: millisecondsOf(row.expires_at),
    deletedAtMs: millisecondsOf(row.deleted_at),
    lastUsedAtMs: millisecondsOf(row.last_used_at),
    createdBy: { personId: row.created_by_id ?? undefined, name: row.created_by_name, removed: row.creator_removed },
    status: keyStatusOf(row, nowMs),
  };
}

export interface ManagementKeyToInsert {
  managementKeyId: string;
  accountId: string | undefined;
  name: string;
  role: RoleName;
  value: NewKey;
  createdBy: Pick<Actor, 'id' | 'name'>;
  expiresAt: Date;
}

export async function insertManagementKey(db: Queryable, key: ManagementKeyToInsert): Promise<ManagementKeyRow> {
  const { sha256, displayPrefix, lastFour } = key.value;
  const { rows } = await db.query<ManagementKeyRow>(
    `INSERT INTO auth.management_keys AS k
       (management_key_id, account_id, name, role, key_sha256, display_prefix, last_four, created_by_id,
        created_by_name, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, nullif($8, '')::uuid, $9, $10)
     RETURNING ${COLUMNS}`,
    [
      key.managementKeyId,
      key.accountId,
      key.name,
      key.role,
      sha256,
      displayPrefix,
      lastFour,
      key.createdBy.id,
      key.createdBy.name,
      key.expiresAt,
    ],
  );
  return onlyRow(rows, 'an inserted management key was not returned');
}

/** Management keys of an account, or of operators, deleted ones too; newest first. */
export async function listManagementKeys(
  db: Queryable,
  accountId: string | undefined,
  limit: number,
): Promise<ManagementKeyRow[]> {
  const { rows } = await db.query<ManagementKeyRow>(
    `SELECT ${COLUMNS} FROM auth.management_keys k WHERE ${ofAccount('k.account_id', accountId)}
     ORDER BY k.management_key_id DESC LIMIT $2`,
    [accountId, limit],
  );
  return rows;
}

/** Active keys of an account that somebody made, newest first. */
export async function listActiveManagementKeysOfCreator(
  db: Queryable,
  accountId: string,
  createdById: string,
  limit: number,
): Promise<ManagementKeyRow[]> {
  const { rows } = await db.query<ManagementKeyRow>(
    `SELECT ${COLUMNS} FROM auth.management_keys k
     WHERE k.created_by_id = $2 AND k.account_id = $1 AND ${ACTIVE} ORDER BY k.management_key_id DESC LIMIT $3`,
    [accountId, createdById, limit],
  );
  return rows;
}

/** How many keys of an account, or of operators, are neither deleted nor expired. */
export async function countActiveManagementKeys(db: Queryable, accountId: string | undefined): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM auth.management_keys k
     WHERE ${ofAccount('k.account_id', accountId)} AND ${ACTIVE}`,
    [accountId],
  );
  return onlyRow(rows, 'a count returned no row').count;
}

/** A key by its SHA-256, if it is neither deleted nor expired. */
export async function findActiveManagementKey(
  db: Queryable,
  sha256: Buffer,
): Promise<Pick<ManagementKeyRow, 'management_key_id' | 'name' | 'role' | 'account_id'> | undefined> {
  const { rows } = await db.query<ManagementKeyRow>(
    `SELECT k.management_key_id, k.name, k.role, k.account_id FROM auth.management_keys k
     WHERE k.key_sha256 = $1 AND ${ACTIVE}`,
    [sha256],
  );
  return rows[0];
}

/** Whether a key is neither deleted nor expired. */
export async function isActiveManagementKey(db: Queryable, managementKeyId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT FROM auth.management_keys k WHERE k.management_key_id = $1 AND ${ACTIVE}`,
    [managementKeyId],
  );
  return rowCount === 1;
}

/** Records that a key is used, unless that was recorded within the last minute. */
export async function recordManagementKeyUse(db: Queryable, managementKeyId: string): Promise<void> {
  await db.query(
    `UPDATE auth.management_keys SET last_used_at = clock_timestamp()
     WHERE management_key_id = $1 AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - interval '1 minute')`,
    [managementKeyId],
  );
}

/** Finds a key of an account, or of operators, and locks it until the end of the transaction. */
export async function lockManagementKey(
  db: Queryable,
  accountId: string | undefined,
  managementKeyId: string,
): Promise<ManagementKeyRow | undefined> {
  const { rows } = await db.query<ManagementKeyRow>(
    `SELECT ${COLUMNS} FROM auth.management_keys k
     WHERE ${ofAccount('k.account_id', accountId)} AND k.management_key_id = $2 FOR NO KEY UPDATE OF k`,
    [accountId, managementKeyId],
  );
  return rows[0];
}

/** Marks a locked key as deleted. */
export async function markManagementKeyDeleted(db: Queryable, managementKeyId: string): Promise<ManagementKeyRow> {
  const { rows } = await db.query<ManagementKeyRow>(
    `UPDATE auth.management_keys k SET deleted_at = clock_timestamp() WHERE k.management_key_id = $1
     RETURNING ${COLUMNS}`,
    [managementKeyId],
  );
  return onlyRow(rows, 'a locked management key is gone');
}

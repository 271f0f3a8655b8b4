import { type RoleName, roleOf } from '@tollgate/common/actors/roles';
import type { NewKey } from '@tollgate/common/keys/index';
import { onlyRow, type Queryable } from '@tollgate/common/postgres/pool';
import type { ManagementKey } from '@tollgate/proto/auth';
import { millisecondsOf, ofAccount } from './columns.ts';

const COLUMNS = `management_key_id, account_id, name, role, display_prefix, last_four, created_by_name, created_at,
  expires_at, deleted_at, last_used_at`;

/** A row of auth.management_keys. */
export interface ManagementKeyRow {
  management_key_id: string;
  /** Null: of operators. */
  account_id: string | null;
  name: string;
  role: RoleName;
  display_prefix: string;
  last_four: string;
  created_by_name: string;
  created_at: Date;
  expires_at: Date;
  deleted_at: Date | null;
  last_used_at: Date | null;
}

/** The wire form of a management key. */
export function toManagementKey(row: ManagementKeyRow): ManagementKey {
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
    createdByName: row.created_by_name,
  };
}

export interface ManagementKeyToInsert {
  managementKeyId: string;
  accountId: string | undefined;
  name: string;
  role: RoleName;
  value: NewKey;
  createdByName: string;
  expiresAt: Date;
}

export async function insertManagementKey(db: Queryable, key: ManagementKeyToInsert): Promise<ManagementKeyRow> {
  const { sha256, displayPrefix, lastFour } = key.value;
  const { rows } = await db.query<ManagementKeyRow>(
    `INSERT INTO auth.management_keys
       (management_key_id, account_id, name, role, key_sha256, display_prefix, last_four, created_by_name, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     RETURNING ${COLUMNS}`,
    [
      key.managementKeyId,
      key.accountId,
      key.name,
      key.role,
      sha256,
      displayPrefix,
      lastFour,
      key.createdByName,
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
    `SELECT ${COLUMNS} FROM auth.management_keys WHERE ${ofAccount('account_id', accountId)}
     ORDER BY management_key_id DESC LIMIT $2`,
    [accountId, limit],
  );
  return rows;
}

/** How many keys of an account, or of operators, are neither deleted nor expired. */
export async function countActiveManagementKeys(db: Queryable, accountId: string | undefined): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM auth.management_keys
     WHERE ${ofAccount('account_id', accountId)} AND deleted_at IS NULL AND expires_at > clock_timestamp()`,
    [accountId],
  );
  return onlyRow(rows, 'a count returned no row').count;
}

/** A key by its SHA-256, if it is neither deleted nor expired. */
export async function findActiveManagementKey(db: Queryable, sha256: Buffer): Promise<ManagementKeyRow | undefined> {
  const { rows } = await db.query<ManagementKeyRow>(
    `SELECT ${COLUMNS} FROM auth.management_keys
     WHERE key_sha256 = $1 AND deleted_at IS NULL AND expires_at > clock_timestamp()`,
    [sha256],
  );
  return rows[0];
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
    `SELECT ${COLUMNS} FROM auth.management_keys
     WHERE ${ofAccount('account_id', accountId)} AND management_key_id = $2 FOR NO KEY UPDATE`,
    [accountId, managementKeyId],
  );
  return rows[0];
}

/** Marks a locked key as deleted. */
export async function markManagementKeyDeleted(db: Queryable, managementKeyId: string): Promise<ManagementKeyRow> {
  const { rows } = await db.query<ManagementKeyRow>(
    `UPDATE auth.management_keys SET deleted_at = clock_timestamp() WHERE management_key_id = $1 RETURNING ${COLUMNS}`,
    [managementKeyId],
  );
  return onlyRow(rows, 'a locked management key is gone');
}

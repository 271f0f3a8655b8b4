import type { NewKey } from '@tollgate/common/keys/index';
import { onlyRow, type Queryable } from '@tollgate/common/postgres/pool';
import {
  type ApiKey,
  type AppliedCaps,
  type CreateKeyRequest,
  KeyStatus,
  type UpdateKeyRequest,
} from '@tollgate/proto/auth';
import {
  capColumns,
  jsonOf,
  keyStatusOf,
  type LimitColumns,
  limitColumns,
  millisecondsOf,
  NEXT_REVISION,
  rateLimits,
  spendingCaps,
  timeOf,
} from './columns.ts';
import { appliedCaps, type Bounded, defaultsOf } from './defaults.ts';
import { type GrantsJson, withGrants } from './grants.ts';
import { type KeyPlace, type KeyPlacement, MAKER_ID, PLACE_COLUMNS, toOwner } from './key-place.ts';

/** Columns of a key, in the shape of `KeyRow`, of auth.keys as `k`. */
export const KEY_COLUMNS = `k.key_id, k.account_id, k.name, k.key_sha256, k.display_prefix, k.last_four, k.allowed_models, k.created_at,
  k.expires_at, k.deleted_at, k.day_cap_nanos, k.week_cap_nanos, k.month_cap_nanos, k.total_cap_nanos, k.requests_per_minute,
  k.tokens_per_minute, k.open_requests, k.tags, k.each_session_nanos, k.exceeds_defaults, k.grants, k.last_used_at, k.previous_sha256, k.previous_until, k.rotation_key,
  k.revision, k.created_by_id, k.created_by_name, k.parent_key_id, k.above_key_ids, ${MAKER_ID} AS maker_id, ${PLACE_COLUMNS}`;

/** What of a key can be changed as one likes. */
export interface KeyAttributes extends Bounded, LimitColumns {
  name: string;
  allowed_models: string[];
  expires_at: Date | null;
  tags: Record<string, string>;
  /** The most that a session of it may spend, nano-dollars; null: no maximum. */
  each_session_nanos: bigint | null;
  /** Higher limits in windows, and of its sessions; null: none. */
  grants: GrantsJson | null;
}

/** The attributes that a request sets, as columns. Absent ones are left out. */
export function attributesIn({
  name,
  expiresAtMs,
  allowedModels,
  caps,
  limits,
  tags,
  eachSessionNanos,
  exceedsDefaults,
}: Partial<Omit<UpdateKeyRequest, 'keyId' | 'accountId' | 'projectId' | 'serviceAccountId'>>): Partial<KeyAttributes> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(expiresAtMs === undefined ? {} : { expires_at: timeOf(expiresAtMs) }),
    ...(allowedModels === undefined ? {} : { allowed_models: allowedModels.ids }),
    ...(caps === undefined ? {} : capColumns(caps)),
    ...(limits === undefined ? {} : limitColumns(limits)),
    ...(tags === undefined ? {} : { tags: tags.tags }),
    ...(eachSessionNanos === undefined ? {} : { each_session_nanos: eachSessionNanos || null }),
    ...(exceedsDefaults === undefined ? {} : { exceeds_defaults: exceedsDefaults }),
  };
}

/** The attributes of a new key. */
export function newAttributes({ allowedModels, tags, caps, limits, ...request }: CreateKeyRequest): KeyAttributes {
  return {
    name: request.name,
    expires_at: timeOf(request.expiresAtMs),
    allowed_models: allowedModels,
    ...capColumns(caps),
    ...limitColumns(limits),
    tags,
    each_session_nanos: request.eachSessionNanos || null,
    exceeds_defaults: request.exceedsDefaults,
    grants: null,
  };
}

/** A row of auth.keys, with its place. */
export interface KeyRow extends KeyAttributes, KeyPlace {
  key_id: string;
  account_id: string;
  key_sha256: Buffer;
  display_prefix: string;
  last_four: string;
  created_at: Date;
  deleted_at: Date | null;
  last_used_at: Date | null;
  /** The value before the last rotation, and until when it is valid; both or none. */
  previous_sha256: Buffer | null;
  previous_until: Date | null;
  rotation_key: string | null;
  revision: bigint;
  /** Null for an operator at the command line. */
  created_by_id: string | null;
  created_by_name: string;
  /** Null: it is not derived. */
  parent_key_id: string | null;
  /** All keys above a derived one, the parent last. */
  above_key_ids: string[] | null;
  /** As `created_by_id`; of a derived key, of the one at its root. */
  maker_id: string | null;
}

/** The wire form of a key. */
export function toApiKey(row: KeyRow, nowMs: number): ApiKey {
  return {
    keyId: row.key_id,
    accountId: row.account_id,
    name: row.name,
    status: statusOf(row, nowMs),
    projectId: row.project_id,
    projectName: row.project_name,
    owner: toOwner(row),
    displayPrefix: row.display_prefix,
    lastFour: row.last_four,
    createdAtMs: millisecondsOf(row.created_at),
    expiresAtMs: millisecondsOf(row.expires_at),
    deletedAtMs: millisecondsOf(row.deleted_at),
    allowedModels: row.allowed_models,
    caps: spendingCaps(row),
    limits: rateLimits(row),
    tags: row.tags,
    lastUsedAtMs: millisecondsOf(row.last_used_at),
    previousValueUntilMs: row.deleted_at === null ? millisecondsOf(row.previous_until) : 0n,
    createdBy: row.created_by_id === null ? undefined : { personId: row.created_by_id, name: row.created_by_name },
    parentKeyId: row.parent_key_id ?? '',
    eachSessionNanos: row.each_session_nanos ?? undefined,
    exceedsDefaults: row.exceeds_defaults,
    appliedCaps: keyCaps(row, nowMs),
  };
}

/** The caps in force of a key but for those that are granted for a window, and what set each. */
export function capsOfKey(row: KeyRow): AppliedCaps {
  return appliedCaps(row.parent_key_id === null ? 'key' : null, row, [
    { kind: 'key', each_session_nanos: row.above_session_nanos },
    ...(row.defaults ?? []).map(defaultsOf),
  ]);
}

/** The caps in force of a key now. */
export function keyCaps(row: KeyRow, nowMs: number): AppliedCaps {
  return withGrants(capsOfKey(row), row.grants, nowMs);
}

function statusOf(row: KeyRow, nowMs: number): KeyStatus {
  const status = keyStatusOf(row, nowMs);
  return row.off && status !== KeyStatus.DELETED ? KeyStatus.OFF : status;
}

/** The SHA-256 of every value of a key that may still be valid. */
export function valuesOf(row: Pick<KeyRow, 'key_sha256' | 'previous_sha256'>): Buffer[] {
  return row.previous_sha256 === null ? [row.key_sha256] : [row.key_sha256, row.previous_sha256];
}

export interface KeyToInsert extends KeyAttributes, KeyPlacement {
  keyId: string;
  accountId: string;
  sha256: Buffer;
  displayPrefix: string;
  lastFour: string;
  /** Who created it; an empty id for an operator at the command line. */
  createdBy: { id: string; name: string };
}

/** The values of the attributes' columns, in the order of the statements below. */
function attributeValues(key: KeyAttributes): unknown[] {
  return [
    key.name,
    key.allowed_models,
    key.expires_at,
    key.day_cap_nanos,
    key.week_cap_nanos,
    key.month_cap_nanos,
    key.total_cap_nanos,
    key.requests_per_minute,
    key.tokens_per_minute,
    key.open_requests,
    key.tags,
    key.each_session_nanos,
    key.exceeds_defaults,
    jsonOf(key.grants),
  ];
}

/** Inserts a key and returns its row. */
export async function insertKey(db: Queryable, key: KeyToInsert): Promise<KeyRow> {
  const { rows } = await db.query<KeyRow>(
    `INSERT INTO auth.keys AS k
       (key_id, account_id, key_sha256, display_prefix, last_four, created_by_id, created_by_name, project_id, owner_id,
        name, allowed_models, expires_at, day_cap_nanos, week_cap_nanos, month_cap_nanos, total_cap_nanos,
        requests_per_minute, tokens_per_minute, open_requests, tags, each_session_nanos, exceeds_defaults, grants)
     VALUES ($1, $2, $3, $4, $5, nullif($6, '')::uuid, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
             $21, $22, $23)
     RETURNING ${KEY_COLUMNS}`,
    [
      key.keyId,
      key.accountId,
      key.sha256,
      key.displayPrefix,
      key.lastFour,
      key.createdBy.id,
      key.createdBy.name,
      key.project_id,
      key.owner_id,
      ...attributeValues(key),
    ],
  );
  return onlyRow(rows, 'an inserted key was not returned');
}

/**
 * Finds a key and locks it until the end of the transaction, so that changes of one key are serialized.
 *
 * @param accountId when given, only if the key is this account's
 */
export async function lockKey(
  db: Queryable,
  keyId: string,
  accountId: string | undefined,
): Promise<KeyRow | undefined> {
  const { rows } = await db.query<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM auth.keys k
     WHERE k.key_id = $1 AND k.account_id = coalesce($2::uuid, k.account_id)
     FOR NO KEY UPDATE OF k`,
    [keyId, accountId],
  );
  return rows[0];
}

/** Marks a locked key as deleted, for good. */
export async function markKeyDeleted(db: Queryable, keyId: string): Promise<KeyRow> {
  const { rows } = await db.query<KeyRow>(
    `UPDATE auth.keys k SET deleted_at = clock_timestamp() WHERE key_id = $1 RETURNING ${KEY_COLUMNS}`,
    [keyId],
  );
  return onlyRow(rows, 'a locked key is gone');
}

/** Writes the attributes of a locked key, under a new revision. */
export async function writeKey(db: Queryable, key: KeyAttributes & Pick<KeyRow, 'key_id'>): Promise<KeyRow> {
  const { rows } = await db.query<KeyRow>(
    `UPDATE auth.keys k
     SET name = $2, allowed_models = $3, expires_at = $4, day_cap_nanos = $5, week_cap_nanos = $6, month_cap_nanos = $7,
         total_cap_nanos = $8, requests_per_minute = $9, tokens_per_minute = $10, open_requests = $11, tags = $12,
         each_session_nanos = $13, exceeds_defaults = $14, grants = $15, revision = ${NEXT_REVISION}
     WHERE key_id = $1
     RETURNING ${KEY_COLUMNS}`,
    [key.key_id, ...attributeValues(key)],
  );
  return onlyRow(rows, 'a locked key is gone');
}

/** Moves locked keys, before `writeKey`. */
export async function writePlacement(
  db: Queryable,
  keyIds: readonly string[],
  { project_id, owner_id }: KeyPlacement,
): Promise<void> {
  await db.query('UPDATE auth.keys SET project_id = $2, owner_id = $3 WHERE key_id = ANY ($1)', [
    keyIds,
    project_id,
    owner_id,
  ]);
}

export interface Rotation {
  keyId: string;
  value: NewKey;
  /** The value that stays valid beside the new one, and until when; undefined: none. */
  previous: { sha256: Buffer; until: Date } | undefined;
  /** Identifies repeated calls. */
  rotationKey: string;
}

/** Gives a locked key a new value, under a new revision. */
export async function writeRotation(db: Queryable, rotation: Rotation): Promise<KeyRow> {
  const { rows } = await db.query<KeyRow>(
    `UPDATE auth.keys k
     SET key_sha256 = $2, display_prefix = $3, last_four = $4, previous_sha256 = $5, previous_until = $6,
         rotation_key = $7, revision = ${NEXT_REVISION}
     WHERE key_id = $1
     RETURNING ${KEY_COLUMNS}`,
    [
      rotation.keyId,
      rotation.value.sha256,
      rotation.value.displayPrefix,
      rotation.value.lastFour,
      rotation.previous?.sha256 ?? null,
      rotation.previous?.until ?? null,
      rotation.rotationKey,
    ],
  );
  return onlyRow(rows, 'a locked key is gone');
}

/** When a key was used. */
export interface KeyUseRow {
  keyId: string;
  usedAt: Date;
}

/**
 * Records when keys were last used, in one statement. A time never goes back and is never in the future; unknown keys are
 * ignored. Rows are locked in the order of their ids, so that concurrent reports of the same keys do not deadlock.
 */
export async function recordKeyUses(db: Queryable, uses: readonly KeyUseRow[]): Promise<void> {
  await db.query({
    name: 'record-key-uses',
    text: `WITH reported AS (
             SELECT key_id, least(max(used_at), clock_timestamp()) AS used_at
             FROM unnest($1::uuid[], $2::timestamptz[]) AS u (key_id, used_at)
             GROUP BY key_id
           ), locked AS (
             SELECT k.key_id, r.used_at
             FROM auth.keys k JOIN reported r USING (key_id)
             WHERE k.last_used_at IS NULL OR k.last_used_at < r.used_at
             ORDER BY k.key_id
             FOR NO KEY UPDATE OF k
           )
           UPDATE auth.keys k SET last_used_at = greatest(k.last_used_at, locked.used_at)
           FROM locked WHERE k.key_id = locked.key_id`,
    values: [uses.map((use) => use.keyId), uses.map((use) => use.usedAt)],
  });
}

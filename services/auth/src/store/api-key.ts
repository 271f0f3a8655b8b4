import { type ApiKey, KeyStatus } from '@tollgate/proto/auth';
import { type LimitColumns, rateLimits } from './rate-limits.ts';
import { type CapColumns, spendingCaps } from './spending-caps.ts';

/** Columns of a key, in the shape of `KeyRow`. */
export const KEY_COLUMNS = `key_id, account_id, name, key_sha256, display_prefix, last_four, allowed_models, created_at, expires_at, deleted_at,
  day_cap_nanos, month_cap_nanos, total_cap_nanos, requests_per_minute, tokens_per_minute, open_requests, tags,
  last_used_at, previous_sha256, previous_until, rotation_key, revision`;

/** What of a key can be changed as one likes. */
export interface KeyAttributes extends CapColumns, LimitColumns {
  name: string;
  allowed_models: string[];
  expires_at: Date | null;
  tags: Record<string, string>;
}

/** A row of auth.keys. */
export interface KeyRow extends KeyAttributes {
  key_id: string;
  account_id: string;
  key_sha256: Buffer;
  display_prefix: string;
  last_four: string;
  created_at: Date;
  deleted_at: Date | null;
  last_used_at: Date | null;
  /** The value before the last rotation, and until when it is good; both or none. */
  previous_sha256: Buffer | null;
  previous_until: Date | null;
  rotation_key: string | null;
  revision: bigint;
}

/** The wire form of a key. */
export function toApiKey(row: KeyRow): ApiKey {
  return {
    keyId: row.key_id,
    accountId: row.account_id,
    name: row.name,
    status: row.deleted_at === null ? KeyStatus.ACTIVE : KeyStatus.DELETED,
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
  };
}

/** The SHA-256 of every value of a key that may still be good somewhere. */
export function valuesOf(row: Pick<KeyRow, 'key_sha256' | 'previous_sha256'>): Buffer[] {
  return row.previous_sha256 === null ? [row.key_sha256] : [row.key_sha256, row.previous_sha256];
}

function millisecondsOf(time: Date | null): bigint {
  return time === null ? 0n : BigInt(time.getTime());
}

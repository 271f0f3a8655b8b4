import { type ApiKey, KeyStatus } from '@tollgate/proto/auth';
import { type CapColumns, spendingCaps } from './spending-caps.ts';

/** Columns of a key, in the shape of `KeyRow`. */
export const KEY_COLUMNS = `key_id, account_id, name, key_sha256, display_prefix, last_four, allowed_models, created_at, expires_at, deleted_at,
  day_cap_nanos, month_cap_nanos, total_cap_nanos`;

/** A row of auth.keys. */
export interface KeyRow extends CapColumns {
  key_id: string;
  account_id: string;
  name: string;
  key_sha256: Buffer;
  display_prefix: string;
  last_four: string;
  allowed_models: string[];
  created_at: Date;
  expires_at: Date | null;
  deleted_at: Date | null;
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
  };
}

function millisecondsOf(time: Date | null): bigint {
  return time === null ? 0n : BigInt(time.getTime());
}

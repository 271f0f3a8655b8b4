import type { Queryable } from '@tollgate/common/postgres/pool';
import type { LimitColumns } from './rate-limits.ts';
import type { CapColumns } from './spending-caps.ts';

/** A key with what its account adds, as far as resolving needs it. */
export interface ResolvableKey extends CapColumns, LimitColumns {
  key_id: string;
  name: string;
  account_id: string;
  tag: string;
  allowed_models: string[];
  /** When this value of the key ends: with the key, or with the overlap of the rotation that has replaced it. */
  expires_at: Date | null;
  deleted: boolean;
  /** By the database's clock. */
  expired: boolean;
  suspended: boolean;
  revision: bigint;
  tags: Record<string, string>;
  discount_ppm: number;
  account_revision: bigint;
  account_requests_per_minute: bigint | null;
  account_tokens_per_minute: bigint | null;
  account_open_requests: number | null;
}

/** Finds a key by the SHA-256 of its text, be that its value or the one before its last rotation. */
export async function findKeyBySha256(db: Queryable, sha256: Buffer): Promise<ResolvableKey | undefined> {
  const { rows } = await db.query<ResolvableKey>({
    name: 'find-key-by-sha256',
    text: `SELECT k.key_id, k.name, k.account_id, a.tag, k.allowed_models, v.expires_at, k.revision,
                  k.day_cap_nanos, k.month_cap_nanos, k.total_cap_nanos,
                  k.requests_per_minute, k.tokens_per_minute, k.open_requests, k.tags,
                  k.deleted_at IS NOT NULL AS deleted,
                  v.expires_at IS NOT NULL AND v.expires_at <= clock_timestamp() AS expired,
                  a.status = 'suspended' AS suspended, a.discount_ppm, a.revision AS account_revision,
                  a.requests_per_minute AS account_requests_per_minute,
                  a.tokens_per_minute AS account_tokens_per_minute,
                  a.open_requests AS account_open_requests
           FROM auth.keys k
           JOIN auth.accounts a USING (account_id)
           CROSS JOIN LATERAL (
             SELECT CASE WHEN k.key_sha256 = $1 THEN k.expires_at ELSE least(k.expires_at, k.previous_until) END
           ) v (expires_at)
           WHERE k.key_sha256 = $1 OR k.previous_sha256 = $1`,
    values: [sha256],
  });
  return rows[0];
}

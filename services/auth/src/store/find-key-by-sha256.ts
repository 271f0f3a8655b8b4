import type { Queryable } from '@tollgate/common/postgres/pool';
import type { CapColumns } from './spending-caps.ts';

/** A key with what its account adds, as far as resolving needs it. */
export interface ResolvableKey extends CapColumns {
  key_id: string;
  name: string;
  account_id: string;
  tag: string;
  allowed_models: string[];
  expires_at: Date | null;
  deleted: boolean;
  /** By the database's clock. */
  expired: boolean;
  suspended: boolean;
  revision: bigint;
  discount_ppm: number;
}

/** Finds a key by the SHA-256 of its text. */
export async function findKeyBySha256(db: Queryable, sha256: Buffer): Promise<ResolvableKey | undefined> {
  const { rows } = await db.query<ResolvableKey>({
    name: 'find-key-by-sha256',
    text: `SELECT k.key_id, k.name, k.account_id, a.tag, k.allowed_models, k.expires_at, k.revision, a.discount_ppm,
                  k.day_cap_nanos, k.month_cap_nanos, k.total_cap_nanos,
                  k.deleted_at IS NOT NULL AS deleted,
                  k.expires_at IS NOT NULL AND k.expires_at <= clock_timestamp() AS expired,
                  a.status = 'suspended' AS suspended
           FROM auth.keys k JOIN auth.accounts a USING (account_id)
           WHERE k.key_sha256 = $1`,
    values: [sha256],
  });
  return rows[0];
}

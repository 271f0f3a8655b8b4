import type { Queryable } from '@tollgate/common/postgres/pool';

/** When a key was used. */
export interface KeyUseRow {
  keyId: string;
  usedAt: Date;
}

/**
 * Records when keys were used last, in one statement. A time never goes back and never lies in the future; unknown keys
 * are passed over. Rows are locked in the order of their ids, so that ingresses that report the same keys wait for each
 * other instead of ending in a deadlock.
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

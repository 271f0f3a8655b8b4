import type { Queryable } from '@tollgate/common/postgres/pool';

/** Whether an ingress has applied a revocation. */
export interface ConfirmationRow {
  watcher_id: string;
  ingress_name: string;
  confirmed: boolean;
  /** From the revocation to its confirmation; 0: it is not confirmed, or long ago. */
  confirmed_after_ms: number;
}

/**
 * What the ingresses that were connected when a revocation was made have confirmed, by name. One that has stopped since is
 * not included.
 */
export async function listConfirmations(db: Queryable, sequence: bigint, limit: number): Promise<ConfirmationRow[]> {
  const { rows } = await db.query<ConfirmationRow>({
    name: 'list-confirmations',
    text: `SELECT w.watcher_id, w.ingress_name, w.applied_sequence >= $1 AS confirmed,
                  (greatest(0, extract(epoch FROM c.confirmed_at - r.revoked_at)) * 1000)::float8 AS confirmed_after_ms
           FROM auth.revocations r
           JOIN auth.watchers w ON w.first_seen_at <= r.revoked_at
           LEFT JOIN LATERAL (
             SELECT confirmed_at FROM auth.confirmations
             WHERE watcher_id = w.watcher_id AND sequence >= $1 ORDER BY sequence LIMIT 1
           ) c ON w.applied_sequence >= $1
           WHERE r.sequence = $1
           ORDER BY w.ingress_name, w.watcher_id LIMIT $2`,
    values: [sequence, limit],
  });
  return rows;
}

/** Removes confirmations up to a sequence number, except those that are younger than `ageMs` by the database's clock. */
export async function removeConfirmations(db: Queryable, upTo: bigint, ageMs: number): Promise<void> {
  await db.query(
    `DELETE FROM auth.confirmations
     WHERE sequence <= $1 AND confirmed_at < clock_timestamp() - $2 * interval '1 millisecond'`,
    [upTo, ageMs],
  );
}

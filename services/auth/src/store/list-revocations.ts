import type { Queryable } from '@tollgate/common/postgres/pool';
import type { Revocation } from '@tollgate/proto/auth';

/** Revocations after a sequence number, oldest first. */
export async function listRevocations(db: Queryable, after: bigint, limit: number): Promise<Revocation[]> {
  const { rows } = await db.query<{ sequence: bigint; key_sha256: Buffer; revoked_at: Date }>({
    name: 'list-revocations',
    text: `SELECT sequence, key_sha256, revoked_at FROM auth.revocations
           WHERE sequence > $1 ORDER BY sequence LIMIT $2`,
    values: [after, limit],
  });
  return rows.map((row) => ({
    sequence: row.sequence,
    keySha256: row.key_sha256,
    revokedAtMs: BigInt(row.revoked_at.getTime()),
  }));
}

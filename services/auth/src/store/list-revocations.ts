import type { Queryable } from '@tollgate/common/postgres/pool';
import type { Revocation } from '@tollgate/proto/auth';

/** A row of auth.revocations, of one of its three kinds. */
interface RevocationRow {
  sequence: bigint;
  key_id: string | null;
  account_id: string | null;
  key_sha256: Buffer | null;
  revision: bigint | null;
  revoked_at: Date;
}

/** Revocations after a sequence number, oldest first. */
export async function listRevocations(db: Queryable, after: bigint, limit: number): Promise<Revocation[]> {
  const { rows } = await db.query<RevocationRow>({
    name: 'list-revocations',
    text: `SELECT sequence, key_id, account_id, key_sha256, revision, revoked_at FROM auth.revocations
           WHERE sequence > $1 ORDER BY sequence LIMIT $2`,
    values: [after, limit],
  });
  return rows.map((row) => ({
    sequence: row.sequence,
    revokedAtMs: BigInt(row.revoked_at.getTime()),
    what: whatOf(row),
  }));
}

function whatOf({ key_id: keyId, account_id: accountId, key_sha256: sha256, revision }: RevocationRow) {
  if (sha256 !== null) return { $case: 'deadKeySha256', value: sha256 } as const;
  if (keyId !== null && revision !== null) return { $case: 'key', value: { keyId, revision } } as const;
  if (accountId !== null && revision !== null) return { $case: 'account', value: { accountId, revision } } as const;
  throw new Error('a revocation is of no kind');
}

import type { Queryable } from '@tollgate/common/postgres/pool';
import type { Revocation } from '@tollgate/proto/auth';
import { valuesOf } from './api-key.ts';

/** A row of auth.revocations, of one of its four kinds. */
interface RevocationRow {
  sequence: bigint;
  changed_key_id: string | null;
  account_id: string | null;
  /** Empty where a revision is told. */
  key_sha256: Buffer;
  revision: bigint | null;
  revoked_at: Date;
  /** Of a deleted key: the value from before its last rotation, which is dead with it. */
  previous_sha256: Buffer | null;
}

/** Revocations after a sequence number, oldest first, of at most `limit` numbers. A deletion is one for each value. */
export async function listRevocations(db: Queryable, after: bigint, limit: number): Promise<Revocation[]> {
  const { rows } = await db.query<RevocationRow>({
    name: 'list-revocations',
    // An auth of the version before knows of one value of a key. What it deletes is told in full from here.
    text: `SELECT r.sequence, r.changed_key_id, r.account_id, r.key_sha256, r.revision, r.revoked_at, k.previous_sha256
           FROM auth.revocations r LEFT JOIN auth.keys k ON k.key_id = r.key_id
           WHERE r.sequence > $1 ORDER BY r.sequence LIMIT $2`,
    values: [after, limit],
  });
  return rows.flatMap((row) => {
    const common = { sequence: row.sequence, revokedAtMs: BigInt(row.revoked_at.getTime()) };
    return whatOf(row).map((what) => ({ ...common, what }));
  });
}

function whatOf(row: RevocationRow): Revocation['what'][] {
  const { changed_key_id: keyId, account_id: accountId, revision } = row;
  if (revision === null) return valuesOf(row).map((value) => ({ $case: 'deadKeySha256', value }));
  if (keyId !== null) return [{ $case: 'key', value: { keyId, revision } }];
  if (accountId !== null) return [{ $case: 'account', value: { accountId, revision } }];
  throw new Error('a revocation is of no kind');
}

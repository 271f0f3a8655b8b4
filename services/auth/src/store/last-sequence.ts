import type { Queryable } from '@tollgate/common/postgres/pool';

/** The sequence number of the last committed revocation; 0 before the first. */
export async function lastSequence(db: Queryable): Promise<bigint> {
  const { rows } = await db.query<{ sequence: bigint }>({
    name: 'last-sequence',
    text: 'SELECT sequence FROM auth.revocation_clock',
  });
  return rows[0]?.sequence ?? 0n;
}

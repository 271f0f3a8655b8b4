import type { Queryable } from '@tollgate/common/postgres/pool';

/** Removes revocations up to a sequence number, except those that are younger than `ageMs` by the database's clock. */
export async function removeRevocations(db: Queryable, upTo: bigint, ageMs: number): Promise<void> {
  await db.query(
    `DELETE FROM auth.revocations
     WHERE sequence <= $1 AND revoked_at < clock_timestamp() - $2 * interval '1 millisecond'`,
    [upTo, ageMs],
  );
}

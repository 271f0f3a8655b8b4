import type { Queryable } from '@tollgate/common/postgres/pool';

/** Locks a name of this schema until the end of the transaction, for what has no row of its own to lock. */
export async function lockName(db: Queryable, name: string): Promise<void> {
  await db.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`tollgate-auth ${name}`]);
}

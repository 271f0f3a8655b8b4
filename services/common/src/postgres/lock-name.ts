import type { Queryable } from './pool.ts';

/**
 * Locks a name until the end of the transaction, for what has no row of its own to lock.
 *
 * @param name begins with the service
 */
export async function lockName(db: Queryable, name: string): Promise<void> {
  await db.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
}

import { hash } from 'node:crypto';
import type { Queryable } from '@tollgate/common/postgres/pool';

/** How many attempts are allowed at once, and how many more each second. */
export interface AttemptRate {
  burst: number;
  perSecond: number;
}

/** The level of earlier attempts has fallen since then. */
const LEVEL = `greatest(0, a.level - greatest(0, extract(epoch FROM clock_timestamp() - a.updated_at)) * $3)`;

/** Counts an attempt; false, without counting it, when the rate is exceeded. Holds over all replicas. */
export async function takeAttempt(db: Queryable, name: string, { burst, perSecond }: AttemptRate): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'take-attempt',
    text: `INSERT INTO console.attempts AS a (name_sha256, level, updated_at) VALUES ($1, 1, clock_timestamp())
           ON CONFLICT (name_sha256) DO UPDATE SET level = ${LEVEL} + 1, updated_at = clock_timestamp()
           WHERE ${LEVEL} + 1 <= $2`,
    values: [hashOf(name), burst, perSecond],
  });
  return rowCount === 1;
}

/** Takes back an attempt that has succeeded. */
export async function giveBackAttempt(db: Queryable, name: string): Promise<void> {
  await db.query('UPDATE console.attempts SET level = greatest(0, level - 1) WHERE name_sha256 = $1', [hashOf(name)]);
}

/** Forgets all attempts of these names. */
export async function clearAttempts(db: Queryable, names: readonly string[]): Promise<void> {
  await db.query('DELETE FROM console.attempts WHERE name_sha256 = ANY($1)', [names.map(hashOf)]);
}

/** Removes levels that have fallen to nothing, and networks that have not been used for long; returns how many. */
export async function deleteOldAttempts(db: Queryable, limit: number): Promise<number> {
  const attempts = await db.query(
    `DELETE FROM console.attempts WHERE name_sha256 IN (
       SELECT name_sha256 FROM console.attempts WHERE updated_at < now() - interval '1 day' LIMIT $1
       FOR UPDATE SKIP LOCKED)`,
    [limit],
  );
  const networks = await db.query(
    `DELETE FROM console.known_networks WHERE name_sha256 IN (
       SELECT name_sha256 FROM console.known_networks WHERE used_at < now() - interval '90 days' LIMIT $1
       FOR UPDATE SKIP LOCKED)`,
    [limit],
  );
  return (attempts.rowCount ?? 0) + (networks.rowCount ?? 0);
}

/** Whether an address has signed in from a network. */
export async function isKnownNetwork(db: Queryable, email: string, network: string): Promise<boolean> {
  const { rowCount } = await db.query('SELECT 1 FROM console.known_networks WHERE name_sha256 = $1', [
    hashOf(`${email} ${network}`),
  ]);
  return rowCount === 1;
}

export async function rememberNetwork(db: Queryable, email: string, network: string): Promise<void> {
  await db.query(
    `INSERT INTO console.known_networks (name_sha256) VALUES ($1)
     ON CONFLICT (name_sha256) DO UPDATE SET used_at = now()`,
    [hashOf(`${email} ${network}`)],
  );
}

function hashOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

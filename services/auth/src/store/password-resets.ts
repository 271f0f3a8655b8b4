import type { Queryable } from '@tollgate/common/postgres/pool';

/**
 * Records a reset for a locked person, of whom only the newest `keep` stay valid.
 *
 * @returns false: the secret is in use
 */
export async function insertPasswordReset(
  db: Queryable,
  reset: { secretSha256: Buffer; personId: string; expiresAt: Date; mailed: boolean },
  keep: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO auth.password_resets (secret_sha256, person_id, expires_at, mailed) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING`,
    [reset.secretSha256, reset.personId, reset.expiresAt, reset.mailed],
  );
  if (rowCount !== 1) return false;
  await db.query(
    `DELETE FROM auth.password_resets WHERE secret_sha256 IN (
       SELECT secret_sha256 FROM auth.password_resets WHERE person_id = $1 ORDER BY created_at DESC OFFSET $2)`,
    [reset.personId, keep],
  );
  return true;
}

/** The id of the person for whom a reset was created that has not expired. */
export async function findPasswordReset(db: Queryable, secretSha256: Buffer): Promise<string | undefined> {
  const { rows } = await db.query<{ person_id: string }>(
    'SELECT person_id FROM auth.password_resets WHERE secret_sha256 = $1 AND expires_at > clock_timestamp()',
    [secretSha256],
  );
  return rows[0]?.person_id;
}

/** Uses up a reset of a locked person. @returns undefined: it has been used or has expired */
export async function takePasswordReset(db: Queryable, secretSha256: Buffer): Promise<{ mailed: boolean } | undefined> {
  const { rows } = await db.query<{ mailed: boolean }>(
    'DELETE FROM auth.password_resets WHERE secret_sha256 = $1 AND expires_at > clock_timestamp() RETURNING mailed',
    [secretSha256],
  );
  return rows[0];
}

/** Removes all resets of a person, whose password has changed. */
export async function removePasswordResets(db: Queryable, personId: string): Promise<void> {
  await db.query('DELETE FROM auth.password_resets WHERE person_id = $1', [personId]);
}

/** Removes expired resets that nobody is removing at the same time. */
export async function removeExpiredPasswordResets(db: Queryable, limit: number): Promise<void> {
  await db.query(
    `DELETE FROM auth.password_resets WHERE secret_sha256 IN (
       SELECT secret_sha256 FROM auth.password_resets WHERE expires_at <= clock_timestamp() ORDER BY expires_at LIMIT $1
       FOR UPDATE SKIP LOCKED)`,
    [limit],
  );
}

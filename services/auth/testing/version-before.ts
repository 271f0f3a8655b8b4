import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';

/** What an auth of the version before migration 0003 does with the database, in its own statements. */
export class AuthOfVersionBefore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Notes a ping of an ingress that is connected to it. */
  async heartbeat(watcherId: string, appliedSequence: bigint): Promise<void> {
    await this.#pool.query(
      `INSERT INTO auth.watchers AS w (watcher_id, heartbeat_at, applied_sequence)
       VALUES ($1, clock_timestamp(), $2)
       ON CONFLICT (watcher_id) DO UPDATE
       SET heartbeat_at = clock_timestamp(),
           applied_sequence = greatest(w.applied_sequence, excluded.applied_sequence)`,
      [watcherId, appliedSequence],
    );
  }

  /** Deletes a key; the sequence number that it waits for. */
  async deleteKey(keyId: string): Promise<bigint | undefined> {
    return inTransaction(this.#pool, async (client) => {
      const { rows } = await client.query<{ key_sha256: Buffer }>(
        `UPDATE auth.keys SET deleted_at = clock_timestamp() WHERE key_id = $1 AND deleted_at IS NULL
         RETURNING key_sha256`,
        [keyId],
      );
      const sha256 = rows[0]?.key_sha256;
      const { rows: told } =
        sha256 === undefined
          ? await client.query<{ sequence: bigint }>('SELECT sequence FROM auth.revocations WHERE key_id = $1', [keyId])
          : await client.query<{ sequence: bigint }>(
              `WITH clock AS (
                 UPDATE auth.revocation_clock
                 SET sequence = greatest(sequence + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
                 RETURNING sequence
               )
               INSERT INTO auth.revocations (sequence, key_id, key_sha256, revoked_at)
               SELECT sequence, $1, $2, clock_timestamp() FROM clock
               RETURNING sequence`,
              [keyId, sha256],
            );
      return told[0]?.sequence;
    });
  }

  /** What it tells the ingresses that are connected to it, from a sequence number on. */
  async revocations(after: bigint): Promise<{ sequence: bigint; key_sha256: Buffer }[]> {
    const { rows } = await this.#pool.query<{ sequence: bigint; key_sha256: Buffer }>(
      `SELECT sequence, key_sha256, revoked_at FROM auth.revocations
       WHERE sequence > $1 ORDER BY sequence LIMIT 1000`,
      [after],
    );
    return rows;
  }

  async setSpendingCaps(keyId: string, dayCapNanos: bigint): Promise<void> {
    await this.#pool.query(
      `UPDATE auth.keys
       SET day_cap_nanos = $2, month_cap_nanos = NULL, total_cap_nanos = NULL, revision = revision + 1
       WHERE key_id = $1 AND deleted_at IS NULL`,
      [keyId, dayCapNanos],
    );
  }

  async setDiscount(accountId: string, discountPpm: number): Promise<void> {
    await this.#pool.query('UPDATE auth.accounts SET discount_ppm = $2 WHERE account_id = $1', [
      accountId,
      discountPpm,
    ]);
  }
}

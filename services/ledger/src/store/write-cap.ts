import { periodEnd } from '@tollgate/common/cap-periods';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { Cap } from '../settle/sum-caps.ts';

/** A cap's limit, and the revision of the key it comes from. */
export interface CapLimit {
  limitNanos: bigint;
  keyRevision: bigint;
}

/**
 * Makes a cap, or gives it another limit. A new one begins with what its period has cost so far. The account's balance
 * must be locked, so that no charge is posted meanwhile.
 *
 * @returns what was charged in the period, nano-dollars
 */
export async function writeCap(client: PoolClient, cap: Cap, { limitNanos, keyRevision }: CapLimit): Promise<bigint> {
  const { rows } = await client.query<{ spent: bigint }>({
    name: 'write-cap',
    text: `
      INSERT INTO ledger.caps AS c (account_id, key_id, period, period_start_ms, limit_nanos, key_revision, spent)
      SELECT $1, $2, $3::ledger.cap_period, $4, $5, $6, coalesce(sum(charged_nanos), 0)::bigint
      FROM ledger.usage_daily
      WHERE account_id = $1 AND key_id = $2 AND start_ms >= $4 AND start_ms < $7
      ON CONFLICT (account_id, key_id, period, period_start_ms) DO UPDATE
        SET limit_nanos = excluded.limit_nanos, key_revision = excluded.key_revision
      RETURNING c.spent`,
    values: [
      cap.accountId,
      cap.keyId,
      cap.period,
      cap.startMs,
      limitNanos,
      keyRevision,
      periodEnd(cap.period, cap.startMs) ?? Number.MAX_SAFE_INTEGER,
    ],
  });
  const row = rows[0];
  if (row === undefined) throw new Error('a written cap was not returned');
  return row.spent;
}

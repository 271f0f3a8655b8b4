import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { Cap } from '../settle/sum-caps.ts';

export interface CapGrant {
  cap: Cap;
  sessionId: string;
  amount: bigint;
  /** The acquire that is met. */
  sequence: bigint;
}

/** Lends a session a part of a cap. The account's balance must be locked. */
export async function grantCap(client: PoolClient, { cap, sessionId, amount, sequence }: CapGrant): Promise<void> {
  await client.query({
    name: 'grant-cap',
    text: `
      WITH lent AS (
        UPDATE ledger.caps SET leased = leased + $6
        WHERE account_id = $1 AND key_id = $2 AND period = $3::ledger.cap_period AND period_start_ms = $4
      )
      INSERT INTO ledger.cap_leases AS l
        (account_id, key_id, period, period_start_ms, session_id, granted, acquire_sequence)
      VALUES ($1, $2, $3::ledger.cap_period, $4, $5, $6, $7)
      ON CONFLICT (account_id, key_id, period, period_start_ms, session_id) DO UPDATE
        SET granted = l.granted + excluded.granted, acquire_sequence = excluded.acquire_sequence`,
    values: [cap.accountId, cap.keyId, cap.period, cap.startMs, sessionId, amount, sequence],
  });
}

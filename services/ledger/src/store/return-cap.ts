import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { Cap } from '../settle/sum-caps.ts';

/** Takes back an unspent part of a cap from a session. The account's balance must be locked. */
export async function returnCapPart(client: PoolClient, cap: Cap, sessionId: string, amount: bigint): Promise<void> {
  await client.query({
    name: 'return-cap',
    text: `
      WITH given AS (
        UPDATE ledger.cap_leases SET returned = returned + $6
        WHERE account_id = $1 AND key_id = $2 AND period = $3::ledger.cap_period AND period_start_ms = $4
          AND session_id = $5
      )
      UPDATE ledger.caps SET leased = leased - $6
      WHERE account_id = $1 AND key_id = $2 AND period = $3::ledger.cap_period AND period_start_ms = $4`,
    values: [cap.accountId, cap.keyId, cap.period, cap.startMs, sessionId, amount],
  });
}

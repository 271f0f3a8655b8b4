import type { PoolClient } from '@tollgate/common/postgres/pool';
import { SIDES, SUMS_BY_SIDE } from './sides.ts';

/**
 * Sums accounts anew, from their rows up to the time that is reconciled. The progress must be locked.
 */
export async function resumAccounts(client: PoolClient, accountIds: string[], untilMs: number): Promise<void> {
  await client.query({
    name: 'forget-reconciled-leases',
    text: 'DELETE FROM ledger.reconciled_leases WHERE account_id = ANY ($1::uuid[])',
    values: [accountIds],
  });
  await client.query({
    name: 'resum-accounts',
    text: `
      INSERT INTO ledger.reconciled (account_id, ${SIDES.join(', ')}, touched_ms)
      SELECT account_id, ${SUMS_BY_SIDE}, $2 FROM (
        SELECT account_id, side, amount FROM ledger.entries WHERE account_id = ANY ($1::uuid[]) AND created_at_ms <= $2
        UNION ALL SELECT unnest($1::uuid[]), 'available', 0
      ) entry
      GROUP BY account_id
      ON CONFLICT (account_id) DO UPDATE
        SET ${SIDES.map((side) => `${side} = excluded.${side}`).join(', ')}, touched_ms = excluded.touched_ms`,
    values: [accountIds, untilMs],
  });
  await client.query({
    name: 'resum-leases',
    text: `
      INSERT INTO ledger.reconciled_leases (account_id, session_id, granted, spent, returned)
      SELECT account_id, session_id, sum(granted), sum(spent), sum(returned) FROM (
        SELECT account_id, session_id, 0 AS granted, charged_nanos AS spent, 0 AS returned FROM ledger.charges
        WHERE account_id = ANY ($1::uuid[]) AND settled_at_ms <= $2
        UNION ALL
        SELECT account_id, reference, CASE reason WHEN 'lease_grant' THEN amount ELSE 0 END, 0,
               CASE reason WHEN 'lease_grant' THEN 0 ELSE amount END
        FROM ledger.transfers
        WHERE account_id = ANY ($1::uuid[]) AND created_at_ms <= $2
          AND reason IN ('lease_grant', 'lease_return', 'lease_freed')
        UNION ALL
        SELECT account_id, session_id, granted, spent, returned FROM ledger.carried_leases
        WHERE account_id = ANY ($1::uuid[])
      ) entry
      WHERE NOT EXISTS (SELECT FROM ledger.sessions s WHERE s.session_id = entry.session_id AND s.leases_removed)
      GROUP BY account_id, session_id`,
    values: [accountIds, untilMs],
  });
}

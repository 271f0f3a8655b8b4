import type { PoolClient } from '@tollgate/common/postgres/pool';
import { leaseKey } from '../settle/plan-settlement.ts';

/** What leases still cover, by leaseKey. The accounts' balances must be locked. */
export async function readCovers(
  client: PoolClient,
  leases: ReadonlyMap<string, { accountId: string; sessionId: string }>,
): Promise<Map<string, bigint>> {
  const wanted = [...leases.values()];
  const { rows } = await client.query<{ account_id: string; session_id: string; cover: bigint }>({
    name: 'read-covers',
    text: `
      SELECT l.account_id::text, l.session_id::text, l.granted - l.spent - l.returned AS cover
      FROM unnest($1::uuid[], $2::uuid[]) AS w (account_id, session_id)
      JOIN ledger.leases l ON l.account_id = w.account_id AND l.session_id = w.session_id`,
    values: [wanted.map((lease) => lease.accountId), wanted.map((lease) => lease.sessionId)],
  });
  return new Map(rows.map((row) => [leaseKey(row.account_id, row.session_id), row.cover]));
}

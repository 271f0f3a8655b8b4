import type { PoolClient } from '@tollgate/common/postgres/pool';
import { PairMap } from '../settle/pair-map.ts';
import { arrayText } from './array-text.ts';

/** What leases still cover, by account and session. The accounts' balances must be locked. */
export async function readCovers(
  client: PoolClient,
  leases: readonly { accountId: string; sessionId: string }[],
): Promise<PairMap<bigint>> {
  const { rows } = await client.query<{ account_id: string; session_id: string; cover: bigint }>({
    name: 'read-covers',
    text: `
      SELECT l.account_id::text, l.session_id::text, l.granted - l.spent - l.returned AS cover
      FROM unnest($1::uuid[], $2::uuid[]) AS w (account_id, session_id)
      JOIN ledger.leases l ON l.account_id = w.account_id AND l.session_id = w.session_id`,
    values: [arrayText(leases.map((lease) => lease.accountId)), arrayText(leases.map((lease) => lease.sessionId))],
  });
  const covers = new PairMap<bigint>();
  for (const row of rows) covers.set(row.account_id, row.session_id, row.cover);
  return covers;
}

import { idFloor } from '@tollgate/common/ids';
import type { Queryable } from '@tollgate/common/postgres/pool';
import { listPartitions } from '../store/partitions.ts';
import type { Slice } from '../store/reconciliation.ts';
import { monthStart } from '../store/time.ts';

/** Sums of transfers, and of charges by their lease. */
interface MovementRow {
  account_id: string;
  /** The session of a lease, and which of its counters it changed; null: no lease. */
  session_id: string | null;
  counter: 'granted' | 'spent' | 'returned' | null;
  /** The ledger accounts; null of charges, whose sums by ledger account are those of the roll-ups. */
  debit: string | null;
  credit: string | null;
  amount: string;
  entries: bigint;
}

export interface Movements {
  /** Values of the parameters of MOVED. */
  values: unknown[];
  charges: number;
  transfers: number;
}

/** SQL: the movements of parameters $4 to $9. */
export const MOVED = `
  unnest($4::uuid[], $5::uuid[], $6::text[], $7::ledger.side[], $8::ledger.side[], $9::numeric[])
    AS moved (account_id, session_id, counter, debit, credit, amount)`;

/**
 * Sums the transfers and charges of the accounts of a slice, a month at a time so that no statement reads more than a month of
 * one account. Requires one snapshot.
 */
export async function readMovements(db: Queryable, { from, end }: Slice): Promise<Movements> {
  const months = new Set([...(await listPartitions(db, 'charges')), ...(await listPartitions(db, 'transfers'))]);
  const rows: MovementRow[] = [];
  for (const month of months) {
    const result = await db.query<MovementRow>({
      name: 'sum-movements',
      text: `
        SELECT account_id::text, session_id::text, 'spent' AS counter, NULL AS debit, NULL AS credit,
               sum(charged_nanos)::text AS amount, count(*) AS entries
        FROM ledger.charges WHERE account_id >= $1 AND account_id < $2 AND request_id >= $3 AND request_id < $4
        GROUP BY account_id, session_id
        UNION ALL
        SELECT account_id::text, session_id::text, counter, debit::text, credit::text, sum(amount)::text, count(*)
        FROM (
          SELECT account_id, debit, credit, amount,
                 CASE WHEN reason IN ('lease_grant', 'lease_return', 'lease_freed') THEN reference END AS session_id,
                 CASE reason WHEN 'lease_grant' THEN 'granted' WHEN 'lease_return' THEN 'returned'
                             WHEN 'lease_freed' THEN 'returned' END AS counter
          FROM ledger.transfers WHERE account_id >= $1 AND account_id < $2 AND transfer_id >= $3 AND transfer_id < $4
        ) t
        GROUP BY account_id, session_id, counter, debit, credit`,
      values: [from.accountId, end.accountId, idFloor(month), idFloor(monthStart(month, 1))],
    });
    for (const row of result.rows) rows.push(row);
  }
  const column = (name: keyof MovementRow) => rows.map((row) => row[name]);
  const count = (ofCharges: boolean) =>
    Number(rows.reduce((sum, row) => ((row.debit === null) === ofCharges ? sum + row.entries : sum), 0n));
  return {
    values: [
      column('account_id'),
      column('session_id'),
      column('counter'),
      column('debit'),
      column('credit'),
      column('amount'),
    ],
    charges: count(true),
    transfers: count(false),
  };
}

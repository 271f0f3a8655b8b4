import { SIDES } from './sides.ts';

/** SQL: balances below zero, of the accounts that the condition on b names. */
export function negativeBalances(condition: string): string {
  return `
    SELECT b.account_id::text, jsonb_build_object('table', 'balances', 'account_id', b.account_id)::text AS place,
           NULL AS expected,
           jsonb_build_object(${SIDES.map((side) => `'${side}', b.${side}`).join(', ')})::text AS found
    FROM ledger.balances b
    WHERE ${condition} AND (b.available < 0 OR b.leased < 0 OR b.revenue < 0 OR b.receivable > 0 OR b.operator_loss > 0)`;
}

/** SQL: leases that cover less than nothing, of the accounts that the condition on l names. */
export function negativeLeases(condition: string): string {
  return `
    SELECT l.account_id::text,
           jsonb_build_object('table', 'leases', 'account_id', l.account_id, 'session_id', l.session_id)::text AS place,
           NULL AS expected,
           jsonb_build_object('granted', l.granted, 'spent', l.spent, 'returned', l.returned)::text AS found
    FROM ledger.leases l
    WHERE ${condition} AND (l.granted < l.spent + l.returned OR l.spent < 0 OR l.returned < 0)`;
}

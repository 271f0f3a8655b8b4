import type { Queryable } from '@tollgate/common/postgres/pool';

export interface BalanceRow {
  available: bigint;
  leased: bigint;
  /** What open requests hold, as their ingresses last reported. */
  held: bigint;
  /** What the account owes. */
  receivable: bigint;
}

/** Reads an account's balance; undefined for an unknown account. */
export async function readBalance(db: Queryable, accountId: string): Promise<BalanceRow | undefined> {
  const { rows } = await db.query<BalanceRow>({
    name: 'read-balance',
    text: `
      SELECT b.available, b.leased, -b.receivable AS receivable, coalesce(h.held, 0)::bigint AS held
      FROM ledger.balances b
      CROSS JOIN LATERAL (
        SELECT sum(r.held_nanos) AS held
        FROM ledger.held r JOIN ledger.sessions s ON s.session_id = r.session_id
        WHERE r.account_id = b.account_id AND s.state = 'open'
      ) h
      WHERE b.account_id = $1`,
    values: [accountId],
  });
  return rows[0];
}

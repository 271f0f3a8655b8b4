import type { Queryable } from '@tollgate/common/postgres/pool';
import type { BalanceView } from './balances.ts';

/** An account's balance with what it spent and lost; nano-dollars. */
export interface AccountBalanceRow extends BalanceView {
  accountId: string;
  /** Charged since the given times. */
  charged: bigint;
  recent: bigint;
  /** The first day with one of the recent charges, Unix milliseconds; 0: none. */
  recentFirstMs: bigint;
  /** The operator's loss on charges of the account. */
  loss: bigint;
}

/**
 * Reads the balances of accounts, without unknown ones.
 *
 * @param sinceMs starts of days (UTC) since which charges are summed
 */
export async function readAccountBalances(
  db: Queryable,
  accountIds: readonly string[],
  sinceMs: { charged: number; recent: number },
): Promise<AccountBalanceRow[]> {
  const { rows } = await db.query<
    BalanceView & { account_id: string; charged: bigint; loss: bigint; recent: bigint; recent_first_ms: bigint }
  >({
    name: 'read-account-balances',
    text: `
      SELECT b.account_id::text, b.available, b.leased, -b.receivable AS receivable, -b.operator_loss AS loss,
             coalesce(h.held, 0)::bigint AS held, u.charged, u.recent, u.recent_first_ms
      FROM unnest($1::uuid[]) AS a (account_id)
      JOIN ledger.balances b ON b.account_id = a.account_id
      CROSS JOIN LATERAL (
        SELECT sum(r.held_nanos) AS held
        FROM ledger.held r JOIN ledger.sessions s ON s.session_id = r.session_id
        WHERE r.account_id = b.account_id AND s.state = 'open'
      ) h
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(d.charged_nanos) FILTER (WHERE d.start_ms >= $2), 0)::bigint AS charged,
               coalesce(sum(d.charged_nanos) FILTER (WHERE d.start_ms >= $3), 0)::bigint AS recent,
               coalesce(min(d.start_ms) FILTER (WHERE d.start_ms >= $3 AND d.charged_nanos > 0), 0) AS recent_first_ms
        FROM ledger.usage_daily d
        WHERE d.account_id = b.account_id AND d.start_ms >= least($2, $3)
      ) u`,
    values: [accountIds, sinceMs.charged, sinceMs.recent],
  });
  return rows.map(({ account_id: accountId, recent_first_ms: recentFirstMs, ...row }) => ({
    accountId,
    recentFirstMs,
    ...row,
  }));
}

/** What an account has and owes, nano-dollars. */
export interface PlainBalanceRow {
  account_id: string;
  balance: bigint;
  receivable: bigint;
}

/** Reads what accounts have and owe, without unknown ones. Nothing else is read, so that many can be asked for every second. */
export async function readPlainBalances(db: Queryable, accountIds: readonly string[]): Promise<PlainBalanceRow[]> {
  const { rows } = await db.query<PlainBalanceRow>({
    name: 'read-plain-balances',
    text: `SELECT account_id::text, available + leased AS balance, -receivable AS receivable
           FROM ledger.balances WHERE account_id = ANY ($1::uuid[])`,
    values: [accountIds],
  });
  return rows;
}

/** The accounts with the largest losses of the operator, largest first. */
export async function accountsWithLosses(db: Queryable, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ account_id: string }>({
    name: 'accounts-with-losses',
    text: `
      SELECT account_id::text FROM ledger.balances b WHERE operator_loss < 0
      ORDER BY operator_loss, b.account_id LIMIT $1`,
    values: [limit],
  });
  return rows.map((row) => row.account_id);
}

import type { Queryable } from '@tollgate/common/postgres/pool';

export interface SessionLease {
  accountId: string;
  granted: bigint;
  spent: bigint;
  returned: bigint;
  available: bigint;
  leased: bigint;
  suspended: boolean;
}

/** A session's leases with their accounts' balances, in order of account, after the one named. */
export async function listLeases(
  db: Queryable,
  sessionId: string,
  after: string,
  limit: number,
): Promise<SessionLease[]> {
  const { rows } = await db.query<{
    account_id: string;
    granted: bigint;
    spent: bigint;
    returned: bigint;
    available: bigint;
    leased: bigint;
    suspended: boolean;
  }>({
    name: 'list-leases',
    text: `
      SELECT l.account_id::text, l.granted, l.spent, l.returned, b.available, b.leased, b.receivable < 0 AS suspended
      FROM ledger.leases l JOIN ledger.balances b ON b.account_id = l.account_id
      WHERE l.session_id = $1 AND l.account_id > $2
      ORDER BY l.account_id LIMIT $3`,
    values: [sessionId, after, limit],
  });
  return rows.map(({ account_id, ...counters }) => ({ accountId: account_id, ...counters }));
}

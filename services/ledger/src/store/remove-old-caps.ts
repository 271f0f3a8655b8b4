import type { PoolClient } from '@tollgate/common/postgres/pool';

/** Accounts that have caps of days or months that began before the times given, some of them. */
export async function accountsWithOldCaps(
  client: PoolClient,
  dayBeforeMs: number,
  monthBeforeMs: number,
  limit: number,
): Promise<string[]> {
  const { rows } = await client.query<{ account_id: string }>({
    name: 'accounts-with-old-caps',
    text: `
      (SELECT account_id::text FROM ledger.caps WHERE period = 'day' AND period_start_ms < $1
       ORDER BY period_start_ms LIMIT $3)
      UNION
      (SELECT account_id::text FROM ledger.caps WHERE period = 'month' AND period_start_ms < $2
       ORDER BY period_start_ms LIMIT $3)
      LIMIT $3`,
    values: [dayBeforeMs, monthBeforeMs, limit],
  });
  return rows.map((row) => row.account_id);
}

/**
 * Removes the caps of these accounts whose day or month began before the times given, with the parts sessions have of
 * them. The accounts' balances must be locked.
 *
 * @returns how many caps were removed
 */
export async function removeCaps(
  client: PoolClient,
  accountIds: string[],
  dayBeforeMs: number,
  monthBeforeMs: number,
): Promise<number> {
  const { rows } = await client.query<{ removed: bigint }>({
    name: 'remove-caps',
    text: `
      WITH removed AS (
        DELETE FROM ledger.caps
        WHERE account_id = ANY ($1::uuid[])
          AND ((period = 'day' AND period_start_ms < $2) OR (period = 'month' AND period_start_ms < $3))
        RETURNING account_id, key_id, period, period_start_ms
      ), parts AS (
        DELETE FROM ledger.cap_leases l USING removed r
        WHERE l.account_id = r.account_id AND l.key_id = r.key_id AND l.period = r.period
          AND l.period_start_ms = r.period_start_ms
      )
      SELECT count(*) AS removed FROM removed`,
    values: [accountIds, dayBeforeMs, monthBeforeMs],
  });
  return Number(rows[0]?.removed ?? 0);
}

import type { CapPeriodLabel } from '@tollgate/common/cap-periods';
import type { Queryable } from '@tollgate/common/postgres/pool';

/** What is spent of a cap and leased to sessions; nano-dollars. */
export interface CapUsageRow {
  keyId: string;
  period: CapPeriodLabel;
  startMs: number;
  spentNanos: bigint;
  heldNanos: bigint;
  limitNanos: bigint;
  reached: boolean;
}

/** The caps of keys in the given periods, without those that no request has used yet. */
export async function readCapUsage(
  db: Queryable,
  accountId: string,
  keyIds: readonly string[],
  periods: readonly { period: CapPeriodLabel; startMs: number }[],
): Promise<CapUsageRow[]> {
  const { rows } = await db.query<{
    key_id: string;
    period: CapPeriodLabel;
    start_ms: bigint;
    spent: bigint;
    leased: bigint;
    limit_nanos: bigint;
    reached: boolean;
  }>({
    name: 'read-cap-usage',
    text: `
      SELECT c.key_id::text, c.period, c.period_start_ms AS start_ms, c.spent, c.leased,
             c.limit_nanos, c.alerted_percent = 100 OR c.spent >= c.limit_nanos AS reached
      FROM unnest($2::uuid[]) AS k (key_id)
      CROSS JOIN unnest($3::text[], $4::bigint[]) AS p (period, start_ms)
      JOIN ledger.caps c ON c.account_id = $1 AND c.key_id = k.key_id
        AND c.period = p.period::ledger.cap_period AND c.period_start_ms = p.start_ms
      ORDER BY c.key_id, c.period`,
    values: [accountId, keyIds, periods.map(({ period }) => period), periods.map(({ startMs }) => startMs)],
  });
  return rows.map((row) => ({
    keyId: row.key_id,
    period: row.period,
    startMs: Number(row.start_ms),
    spentNanos: row.spent,
    heldNanos: row.leased,
    limitNanos: row.limit_nanos,
    reached: row.reached,
  }));
}

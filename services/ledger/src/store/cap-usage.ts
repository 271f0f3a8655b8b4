import type { CapPeriodLabel } from '@tollgate/common/cap-periods';
import type { Queryable } from '@tollgate/common/postgres/pool';

/** What is spent of a cap and leased to sessions; nano-dollars. */
export interface CapUsageRow {
  nodeId: string;
  period: CapPeriodLabel;
  startMs: number;
  spentNanos: bigint;
  heldNanos: bigint;
  limitNanos: bigint;
  reached: boolean;
}

/**
 * What nodes have spent in the given periods, of which the last days are not over: of their caps, without those that no request
 * has used yet, and, with a limit of 0, of nodes above keys without a cap.
 */
export async function readCapUsage(
  db: Queryable,
  accountId: string,
  nodeIds: readonly string[],
  periods: readonly { period: CapPeriodLabel; startMs: number }[],
): Promise<CapUsageRow[]> {
  const { rows } = await db.query<{
    node_id: string;
    period: CapPeriodLabel;
    start_ms: bigint;
    spent: bigint;
    leased: bigint;
    limit_nanos: bigint;
    reached: boolean;
  }>({
    name: 'read-cap-usage',
    text: `
      WITH asked AS (
        SELECT n.node_id, p.period::ledger.cap_period AS period, p.start_ms
        FROM unnest($2::uuid[]) AS n (node_id) CROSS JOIN unnest($3::text[], $4::bigint[]) AS p (period, start_ms)
      ), found AS (
        SELECT a.*, c.spent, c.leased, c.limit_nanos, c.alerted_percent = 100 OR c.spent >= c.limit_nanos AS reached
        FROM asked a
        LEFT JOIN ledger.ceilings c ON c.account_id = $1 AND c.node_id = a.node_id AND c.period = a.period
          AND c.period_start_ms = a.start_ms
      )
      SELECT node_id::text, period, start_ms, spent, leased, limit_nanos, reached FROM found WHERE spent IS NOT NULL
      UNION ALL
      SELECT f.node_id::text, f.period, f.start_ms, sum(u.charged_nanos)::bigint, 0, 0, false
      FROM found f
      JOIN ledger.node_usage u ON u.account_id = $1 AND u.node_id = f.node_id AND u.day_ms >= f.start_ms
      WHERE f.spent IS NULL GROUP BY 1, 2, 3
      ORDER BY 1, 2`,
    values: [accountId, nodeIds, periods.map(({ period }) => period), periods.map(({ startMs }) => startMs)],
  });
  return rows.map((row) => ({
    nodeId: row.node_id,
    period: row.period,
    startMs: Number(row.start_ms),
    spentNanos: row.spent,
    heldNanos: row.leased,
    limitNanos: row.limit_nanos,
    reached: row.reached,
  }));
}

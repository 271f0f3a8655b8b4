import type { CeilingPeriodLabel } from '@tollgate/common/cap-periods';
import type { Queryable } from '@tollgate/common/postgres/pool';
import type { Cap } from './ceilings.ts';

/** What is spent of a cap and leased to sessions; nano-dollars. */
export interface CapUsageRow {
  nodeId: string;
  period: CeilingPeriodLabel;
  startMs: number;
  spentNanos: bigint;
  heldNanos: bigint;
  /** 0 where no request has used the cap yet. */
  limitNanos: bigint;
  reached: boolean;
}

/**
 * What is spent of caps of an account in the current periods. The ledger learns of a cap by its first request, and then counts
 * what was spent from the start of the period; until then it is read from the roll-ups of the key or node.
 */
export async function readCapUsage(db: Queryable, accountId: string, caps: readonly Cap[]): Promise<CapUsageRow[]> {
  const { rows } = await db.query<{
    node_id: string;
    period: CeilingPeriodLabel;
    start_ms: bigint;
    spent: bigint;
    leased: bigint;
    limit_nanos: bigint;
    reached: boolean;
  }>({
    // LATERAL … OFFSET 0, as in readCapLeases.
    name: 'read-cap-usage',
    text: `
      SELECT a.node_id::text, a.period, a.start_ms, coalesce(c.spent, u.spent, 0) AS spent, coalesce(c.leased, 0) AS leased,
             coalesce(c.limit_nanos, 0) AS limit_nanos,
             coalesce(c.alerted_percent = 100 OR c.spent >= c.limit_nanos, false) AS reached
      FROM unnest($2::uuid[], $3::ledger.cap_period[], $4::bigint[]) WITH ORDINALITY AS a (node_id, period, start_ms, place)
      LEFT JOIN LATERAL (
        SELECT spent, leased, limit_nanos, alerted_percent FROM ledger.ceilings
        WHERE account_id = $1 AND node_id = a.node_id AND period = a.period AND period_start_ms = a.start_ms OFFSET 0
      ) c ON true
      LEFT JOIN LATERAL (
        SELECT sum(of_node.charged_nanos)::bigint AS spent
        FROM (
          SELECT charged_nanos FROM ledger.usage_daily
          WHERE account_id = $1 AND key_id = a.node_id AND start_ms >= a.start_ms
          UNION ALL
          SELECT charged_nanos FROM ledger.node_usage
          WHERE account_id = $1 AND node_id = a.node_id AND day_ms >= a.start_ms
        ) of_node
      ) u ON c.spent IS NULL
      ORDER BY a.place`,
    values: [accountId, caps.map((cap) => cap.nodeId), caps.map((cap) => cap.period), caps.map((cap) => cap.startMs)],
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

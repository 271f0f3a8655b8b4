import type { Queryable } from '@tollgate/common/postgres/pool';

/** Each finds rows that break a promise of the ledger; all must find none. */
const VIOLATIONS: Readonly<Record<string, string>> = {
  'entries of a side do not sum to its balance': `
    SELECT b.account_id, s.side, s.amount, e.sum FROM ledger.balances b
    CROSS JOIN LATERAL (VALUES
      ('available'::ledger.side, b.available), ('leased', b.leased), ('revenue', b.revenue), ('deposits', b.deposits),
      ('adjustments', b.adjustments), ('receivable', b.receivable), ('operator_loss', b.operator_loss)
    ) AS s (side, amount)
    LEFT JOIN (SELECT account_id, side, sum(amount) AS sum FROM ledger.entries GROUP BY 1, 2) e
      ON e.account_id = b.account_id AND e.side = s.side
    WHERE s.amount <> coalesce(e.sum, 0)`,
  'entries of an account do not sum to zero': `
    SELECT account_id, sum(amount) FROM ledger.entries GROUP BY 1 HAVING sum(amount) <> 0`,
  'leased is not what leases cover': `
    SELECT b.account_id, b.leased, l.cover FROM ledger.balances b
    LEFT JOIN (SELECT account_id, sum(granted - spent - returned) AS cover FROM ledger.leases GROUP BY 1) l
      ON l.account_id = b.account_id
    WHERE b.leased <> coalesce(l.cover, 0)`,
  'spent on a lease is not what was charged under it': `
    SELECT l.account_id, l.session_id, l.spent, c.charged FROM ledger.leases l
    LEFT JOIN (SELECT account_id, session_id, sum(charged_nanos) AS charged FROM ledger.charges GROUP BY 1, 2) c
      ON c.account_id = l.account_id AND c.session_id = l.session_id
    WHERE l.spent <> coalesce(c.charged, 0)`,
  'a charge without a lease was paid': `
    SELECT c.account_id, c.request_id FROM ledger.charges c
    WHERE c.charged_nanos > 0 AND NOT EXISTS (
      SELECT FROM ledger.leases l WHERE l.account_id = c.account_id AND l.session_id = c.session_id)`,
  'balance is not deposits less charges': `
    SELECT b.account_id FROM ledger.balances b
    WHERE b.available + b.leased <>
      coalesce((SELECT sum(amount_nanos) FROM ledger.deposits d WHERE d.account_id = b.account_id), 0) -
      coalesce((SELECT sum(charged_nanos) FROM ledger.charges c WHERE c.account_id = b.account_id), 0)`,
  'leased of a cap is not what sessions have of it': `
    SELECT c.*, l.cover FROM ledger.caps c
    LEFT JOIN (
      SELECT account_id, key_id, period, period_start_ms, sum(granted - spent - returned) AS cover
      FROM ledger.cap_leases GROUP BY 1, 2, 3, 4
    ) l USING (account_id, key_id, period, period_start_ms)
    WHERE c.leased <> coalesce(l.cover, 0)`,
  // A cap begins with what its period has cost so far, so that it always holds the whole of it.
  'spent of a cap is not what its key was charged in the period': `
    SELECT c.account_id, c.key_id, c.period, c.spent FROM ledger.caps c
    WHERE c.spent <> coalesce((
      SELECT sum(h.charged_nanos) FROM ledger.charges h
      WHERE h.account_id = c.account_id AND h.key_id = c.key_id AND (c.period = 'total' OR c.period_start_ms =
        extract(epoch FROM date_trunc(c.period::text, to_timestamp(h.started_at_ms / 1000), 'UTC')) * 1000)), 0)`,
  'the hourly roll-up is not the sum of charges': rollUpViolation('usage_hourly', 3_600_000),
  'the daily roll-up is not the sum of charges': rollUpViolation('usage_daily', 86_400_000),
};

function rollUpViolation(table: string, intervalMs: number): string {
  return `
    SELECT * FROM (
      SELECT account_id, started_at_ms - started_at_ms % ${intervalMs} AS start_ms, key_id, model, count(*) AS requests,
             sum(charged_nanos) AS charged, sum(cost_nanos) AS cost,
             coalesce(sum((SELECT sum((line ->> 1)::bigint) FROM jsonb_array_elements(lines) line WHERE line ->> 0 = 'output')), 0)
               AS output
      FROM ledger.charges GROUP BY 1, 2, 3, 4
    ) c
    FULL JOIN ledger.${table} u USING (account_id, start_ms, key_id, model)
    WHERE (c.requests, c.charged, c.cost, c.output)
      IS DISTINCT FROM (u.requests, u.charged_nanos, u.cost_nanos, u.output)`;
}

/** The promises that the ledger breaks, with the rows at fault; empty when it keeps them all. */
export async function brokenInvariants(db: Queryable): Promise<string[]> {
  const broken: string[] = [];
  for (const [name, sql] of Object.entries(VIOLATIONS)) {
    const { rows } = await db.query(sql);
    if (rows.length > 0)
      broken.push(`${name}: ${JSON.stringify(rows[0], (_, v) => (typeof v === 'bigint' ? `${v}` : v))}`);
  }
  return broken;
}

import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { CapSpending } from '../settle/sum-caps.ts';
import { arrayText } from './array-text.ts';

/**
 * Counts settled charges on the caps of their keys. What requests held under a cap have cost leaves their session's part
 * of it, as far as that still covers it; all of it counts as spent. The accounts' balances must be locked.
 */
export async function spendCaps(client: PoolClient, spendings: readonly CapSpending[]): Promise<void> {
  await client.query({
    name: 'spend-caps',
    text: `
      WITH d AS (
        SELECT s.*, least(s.under_cap, coalesce(l.granted - l.spent - l.returned, 0)) AS moved
        FROM unnest(
          $1::uuid[], $2::uuid[], $3::ledger.cap_period[], $4::bigint[], $5::uuid[], $6::bigint[], $7::bigint[]
        ) AS s (account_id, key_id, period, period_start_ms, session_id, charged, under_cap)
        LEFT JOIN ledger.cap_leases l USING (account_id, key_id, period, period_start_ms, session_id)
      ), leases AS (
        UPDATE ledger.cap_leases l SET spent = l.spent + d.moved
        FROM d
        WHERE d.moved > 0 AND l.account_id = d.account_id AND l.key_id = d.key_id AND l.period = d.period
          AND l.period_start_ms = d.period_start_ms AND l.session_id = d.session_id
      )
      UPDATE ledger.caps c SET spent = c.spent + s.charged, leased = c.leased - s.moved
      FROM (
        SELECT account_id, key_id, period, period_start_ms, sum(charged)::bigint AS charged, sum(moved)::bigint AS moved
        FROM d GROUP BY 1, 2, 3, 4
      ) AS s
      WHERE c.account_id = s.account_id AND c.key_id = s.key_id AND c.period = s.period
        AND c.period_start_ms = s.period_start_ms`,
    values: [
      arrayText(spendings.map((spending) => spending.accountId)),
      arrayText(spendings.map((spending) => spending.keyId)),
      arrayText(spendings.map((spending) => spending.period)),
      arrayText(spendings.map((spending) => spending.startMs)),
      arrayText(spendings.map((spending) => spending.sessionId)),
      arrayText(spendings.map((spending) => spending.charged)),
      arrayText(spendings.map((spending) => spending.underCap)),
    ],
  });
}

/**
 * SQL: caps that have lent another amount than their leases cover, or spent another than their key was charged in their
 * period, of the accounts that the condition names. What a key was charged is taken from the daily roll-up.
 */
export function wrongCaps(condition: string): string {
  return `
    SELECT account_id::text,
           jsonb_build_object('table', 'caps', 'account_id', account_id, 'key_id', key_id, 'period', period,
                              'period_start_ms', period_start_ms)::text AS place,
           jsonb_build_object('leased', coalesce(l.cover, 0), 'spent', charged.nanos)::text AS expected,
           CASE WHEN c.leased IS NOT NULL THEN
             jsonb_build_object('leased', c.leased, 'spent', c.spent) END::text AS found
    FROM (
      SELECT account_id, key_id, period, period_start_ms, sum(granted - spent - returned) AS cover
      FROM ledger.cap_leases WHERE ${condition} GROUP BY 1, 2, 3, 4
    ) l
    FULL JOIN (SELECT * FROM ledger.caps WHERE ${condition}) c USING (account_id, key_id, period, period_start_ms)
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(u.charged_nanos), 0) AS nanos FROM ledger.usage_daily u
      WHERE u.account_id = coalesce(l.account_id, c.account_id) AND u.key_id = coalesce(l.key_id, c.key_id)
        AND u.start_ms >= period_start_ms
        AND (period = 'total' OR u.start_ms < extract(epoch FROM
              to_timestamp(period_start_ms / 1000) AT TIME ZONE 'UTC'
              + CASE period WHEN 'day' THEN interval '1 day' ELSE interval '1 month' END) * 1000)
    ) charged
    WHERE c.leased IS DISTINCT FROM coalesce(l.cover, 0) OR c.spent IS DISTINCT FROM charged.nanos`;
}

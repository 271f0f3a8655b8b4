import { HOUR_MS } from '../request-time.ts';

/** Later than any entry. */
const FOREVER_MS = '9223372036854775807';

/**
 * SQL: `charged` and `moved`, the sums of charges and transfers posted after $1 up to and with $2. Nothing is
 * said of their ids, though that would spare old partitions: it would lead the planner to the keys instead of the small
 * indexes by time.
 */
export const MOVEMENTS = `
  charged AS MATERIALIZED (
    SELECT account_id, session_id, started_at_ms - started_at_ms % ${HOUR_MS} AS hour_ms, count(*) AS entries,
           sum(charged_nanos) AS charged, sum(cost_nanos) AS cost
    FROM ledger.charges WHERE settled_at_ms > $1 AND settled_at_ms <= $2
    GROUP BY 1, 2, 3
  ),
  moved AS MATERIALIZED (
    SELECT account_id, debit, credit, reason, count(*) AS entries, sum(amount) AS amount,
           CASE WHEN reason IN ('lease_grant', 'lease_return', 'lease_freed') THEN reference END AS session_id
    FROM ledger.transfers WHERE created_at_ms > $1 AND created_at_ms <= $2
    GROUP BY account_id, debit, credit, reason, session_id
  )`;

/** SQL: rows (account_id, side, amount) of those sums. */
export const MOVED_SIDES = `
  SELECT account_id, debit AS side, -amount AS amount FROM moved
  UNION ALL SELECT account_id, credit, amount FROM moved
  UNION ALL SELECT account_id, 'leased', -charged FROM charged
  UNION ALL SELECT account_id, 'operator_loss', charged - cost FROM charged
  UNION ALL SELECT account_id, 'revenue', cost FROM charged`;

/** SQL: rows (account_id, session_id, granted, spent, returned) of those sums. */
export const MOVED_LEASES = `
  SELECT account_id, session_id, 0 AS granted, charged AS spent, 0 AS returned FROM charged
  UNION ALL
  SELECT account_id, session_id, CASE reason WHEN 'lease_grant' THEN amount ELSE 0 END, 0,
         CASE reason WHEN 'lease_grant' THEN 0 ELSE amount END
  FROM moved WHERE session_id IS NOT NULL`;

/** The values of $1 and $2; forever unless an end is given. */
export function movementsBetween(afterMs: number, upToMs: number | undefined): (string | number)[] {
  return [afterMs, upToMs ?? FOREVER_MS];
}

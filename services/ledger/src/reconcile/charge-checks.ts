import { idFloor } from '@tollgate/common/ids';
import type { Queryable } from '@tollgate/common/postgres/pool';
import { type Finding, type FindingRow, findingOf, type Invariant } from '../store/findings.ts';
import type { Slice } from '../store/reconciliation.ts';
import { DAY_MS, HOUR_MS, MAX_START_SKEW_MS } from '../store/time.ts';
import { QUANTITIES, ROLL_UP_DIFFERS, rollUpFinding, SUMS_OF_CHARGES } from './roll-up-sums.ts';

/** SQL: where the charges of a slice are, by their key. */
const BY_KEY = `(account_id, request_id) >= ($1::uuid, $5::uuid) AND (account_id, request_id) < ($3::uuid, $6::uuid)`;

/** SQL: whether an account and hour are in the slice. */
const inSlice = (startMs: string) =>
  `(account_id, ${startMs}) >= ($1::uuid, $2::bigint) AND (account_id, ${startMs}) < ($3::uuid, $4::bigint)`;

const LINES_SUM = '(SELECT coalesce(sum((line ->> 3)::bigint), 0) FROM jsonb_array_elements(lines) line)';

/** SQL: the lines at list rates, each rounded half to even. */
const BASE_COST = `(
  SELECT coalesce(sum(round(exact) - CASE WHEN exact % 2 = 0.5 THEN 1 ELSE 0 END), 0)
  FROM (
    SELECT (line ->> 1)::numeric * (line ->> 4)::numeric / 1000000 AS exact FROM jsonb_array_elements(lines) line
  ) listed
)`;

interface ChargeCheck {
  invariant: Invariant;
  sql: string;
  /** Whether it checks the days that begin in the slice, to their ends. */
  wholeDays?: boolean;
}

/** Statements that find inconsistencies of the charges of a slice. Each selects rows of FindingRow. */
const CHECKS: readonly ChargeCheck[] = [
  {
    invariant: 'roll_up_equals_charges',
    sql: `
      SELECT ${rollUpFinding('usage_hourly')}
      FROM (
        SELECT c.account_id, c.started_at_ms - c.started_at_ms % ${HOUR_MS} AS start_ms, c.key_id, c.model,
               ${SUMS_OF_CHARGES}
        FROM ledger.charges c CROSS JOIN ${QUANTITIES}
        WHERE ${BY_KEY} AND ${inSlice('started_at_ms')}
        GROUP BY 1, 2, 3, 4
      ) e
      FULL JOIN (SELECT * FROM ledger.usage_hourly WHERE ${inSlice('start_ms')}) u USING (account_id, start_ms, key_id, model)
      WHERE ${ROLL_UP_DIFFERS} AND start_ms >= (
        SELECT CASE archived_until_ms WHEN 0 THEN 0 ELSE archived_until_ms + ${HOUR_MS} END FROM ledger.reconciliation_pass
      )
      LIMIT $7`,
  },
  {
    invariant: 'node_usage_equals_charges',
    wholeDays: true,
    sql: `
      SELECT account_id::text,
             jsonb_build_object('table', 'node_usage', 'account_id', account_id, 'node_id', node_id, 'day_ms', day_ms)::text
               AS place,
             (coalesce(e.charged, 0) + coalesce(u.filled_nanos, 0))::text AS expected, u.charged_nanos::text AS found
      FROM (
        SELECT account_id, node_id, started_at_ms - started_at_ms % ${DAY_MS} AS day_ms, sum(charged_nanos) AS charged
        FROM ledger.charges CROSS JOIN unnest(node_ids) AS n (node_id)
        WHERE ${BY_KEY} AND ${inSlice(`started_at_ms - started_at_ms % ${DAY_MS}`)} AND charged_nanos > 0
        GROUP BY 1, 2, 3
      ) e
      FULL JOIN (SELECT * FROM ledger.node_usage WHERE ${inSlice('day_ms')}) u USING (account_id, node_id, day_ms)
      WHERE u.charged_nanos IS DISTINCT FROM coalesce(e.charged, 0) + coalesce(u.filled_nanos, 0) AND day_ms >= (
        SELECT CASE archived_until_ms WHEN 0 THEN 0 ELSE archived_until_ms + ${DAY_MS} END FROM ledger.reconciliation_pass
      )
      LIMIT $7`,
  },
  {
    invariant: 'roll_up_equals_charges',
    sql: `
      SELECT account_id::text,
             jsonb_build_object('table', 'usage_hourly_moved', 'account_id', account_id, 'start_ms', start_ms, 'key_id', key_id,
                                'model', model, 'project_id', project_id)::text AS place,
             jsonb_build_object('requests', coalesce(e.requests, 0), 'charged_nanos', coalesce(e.charged, 0))::text AS expected,
             jsonb_build_object('requests', coalesce(u.requests, 0), 'charged_nanos', coalesce(u.charged, 0))::text AS found
      FROM (
        SELECT account_id, start_ms, key_id, model, coalesce(c.project_id, h.project_id) AS project_id,
               sum(c.requests) AS requests, sum(c.charged) AS charged
        FROM (
          SELECT account_id, started_at_ms - started_at_ms % ${HOUR_MS} AS start_ms, key_id, model, node_ids[1] AS project_id,
                 count(*) AS requests, sum(charged_nanos) AS charged
          FROM ledger.charges WHERE ${BY_KEY} AND ${inSlice('started_at_ms')}
          GROUP BY 1, 2, 3, 4, 5
        ) c
        JOIN ledger.usage_hourly h USING (account_id, start_ms, key_id, model)
        -- Of no project: from before charges named it, or made by a service of that release.
        WHERE h.project_id IS NOT NULL
        GROUP BY 1, 2, 3, 4, 5
      ) e
      FULL JOIN (
        SELECT account_id, start_ms, key_id, model, project_id, sum(requests) AS requests, sum(charged_nanos) AS charged
        FROM (
          SELECT account_id, start_ms, key_id, model, project_id, requests, charged_nanos FROM ledger.usage_hourly
          WHERE ${inSlice('start_ms')} AND project_id IS NOT NULL
          UNION ALL
          SELECT account_id, start_ms, key_id, model, project_id, requests, charged_nanos FROM ledger.usage_hourly_moved
          WHERE ${inSlice('start_ms')}
        ) p
        GROUP BY 1, 2, 3, 4, 5
      ) u USING (account_id, start_ms, key_id, model, project_id)
      WHERE (coalesce(e.requests, 0), coalesce(e.charged, 0)) IS DISTINCT FROM (coalesce(u.requests, 0), coalesce(u.charged, 0))
        AND start_ms >= (
          SELECT CASE archived_until_ms WHEN 0 THEN 0 ELSE archived_until_ms + ${HOUR_MS} END FROM ledger.reconciliation_pass
        )
      LIMIT $7`,
  },
  {
    invariant: 'lines_sum_to_cost',
    sql: `
      SELECT account_id::text,
             jsonb_build_object('table', 'charges', 'account_id', account_id, 'request_id', request_id)::text AS place,
             ${LINES_SUM}::text AS expected, cost_nanos::text AS found
      FROM ledger.charges
      WHERE ${BY_KEY} AND ${inSlice('started_at_ms')} AND cost_nanos <> ${LINES_SUM}
      LIMIT $7`,
  },
  {
    invariant: 'lines_sum_to_base_cost',
    sql: `
      SELECT account_id::text,
             jsonb_build_object('table', 'charges', 'account_id', account_id, 'request_id', request_id)::text AS place,
             ${BASE_COST}::text AS expected, base_cost_nanos::text AS found
      FROM ledger.charges
      WHERE ${BY_KEY} AND ${inSlice('started_at_ms')}
        AND (base_cost_nanos IS NOT NULL OR lines -> 0 -> 4 IS NOT NULL) AND coalesce(base_cost_nanos, -1) <> ${BASE_COST}
      LIMIT $7`,
  },
];

/**
 * Finds charges that contradict their lines, and hours whose roll-up contradicts their charges. Both are posted in one
 * transaction, so each statement is exact while charges are posted.
 *
 * @param limit maximum findings of each check
 */
export async function checkCharges(db: Queryable, { from, end }: Slice, limit: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { invariant, sql, wholeDays = false } of CHECKS) {
    const endMs = end.hourMs + (wholeDays ? DAY_MS : 0);
    const ids = [idFloor(from.hourMs - MAX_START_SKEW_MS), idFloor(endMs + MAX_START_SKEW_MS)];
    const values = [from.accountId, from.hourMs, end.accountId, end.hourMs, ...ids, limit];
    const { rows } = await db.query<FindingRow>(sql, values);
    findings.push(...rows.map((row) => findingOf(invariant, row)));
  }
  return findings;
}

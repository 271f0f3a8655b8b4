import { HOUR_MS } from '../request-time.ts';
import { USAGE_BUCKETS } from '../settle/usage-buckets.ts';

const SUMS = ['requests', 'charged_nanos', 'cost_nanos', ...USAGE_BUCKETS];

/** SQL: the sums of a roll-up, from rows of ledger.charges named c. */
export const SUMS_OF_CHARGES = [
  'count(*) AS requests',
  'sum(c.charged_nanos) AS charged_nanos',
  'sum(c.cost_nanos) AS cost_nanos',
  ...USAGE_BUCKETS.map((bucket) => `coalesce(sum(line.${bucket}), 0) AS ${bucket}`),
].join(', ');

/** SQL: the quantities of one charge, c, by bucket. */
export const QUANTITIES = `
  LATERAL (
    SELECT ${USAGE_BUCKETS.map(
      (bucket) => `sum((line ->> 1)::bigint) FILTER (WHERE line ->> 0 = '${bucket}') AS ${bucket}`,
    ).join(', ')}
    FROM jsonb_array_elements(c.lines) line
  ) line`;

/** SQL: the columns of a finding about a roll-up, from what it should be (e) joined with what it is (u). */
export function rollUpFinding(table: string): string {
  const object = (alias: string) =>
    `jsonb_build_object(${SUMS.map((name) => `'${name}', ${alias}.${name}`).join(', ')})`;
  return `
    account_id::text,
    jsonb_build_object('table', '${table}', 'account_id', account_id, 'start_ms', start_ms, 'key_id', key_id,
                       'model', model)::text AS place,
    CASE WHEN e.requests IS NOT NULL THEN ${object('e')} END::text AS expected,
    CASE WHEN u.requests IS NOT NULL THEN ${object('u')} END::text AS found`;
}

/** SQL: whether e and u differ. */
export const ROLL_UP_DIFFERS = `
  (${SUMS.map((name) => `e.${name}`).join(', ')}) IS DISTINCT FROM (${SUMS.map((name) => `u.${name}`).join(', ')})`;

/** SQL: sums of the hourly roll-up, from rows of it named h. */
export const SUMS_OF_HOURS = SUMS.map((name) => `sum(h.${name}) AS ${name}`).join(', ');

/** SQL: whether the charges of an hour are all there to be summed, none of them archived. */
export function isKept(startMs: string): string {
  return `${startMs} >= (SELECT archived_until_ms + CASE archived_until_ms WHEN 0 THEN 0 ELSE ${HOUR_MS} END
                         FROM ledger.reconciliation)`;
}

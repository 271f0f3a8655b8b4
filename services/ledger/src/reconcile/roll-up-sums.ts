import { USAGE_BUCKETS } from '../store/usage.ts';

const ROLL_UP_SUMS = ['requests', 'charged_nanos', 'cost_nanos', ...USAGE_BUCKETS];

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

/** SQL: sums of the hourly roll-up, from rows of it named h. */
export const SUMS_OF_HOURS = ROLL_UP_SUMS.map((name) => `sum(h.${name}) AS ${name}`).join(', ');

/** SQL: the columns of a finding about a roll-up, from its expected (e) and its stored values (u). */
export function rollUpFinding(table: string): string {
  const object = (alias: string) =>
    `jsonb_build_object(${ROLL_UP_SUMS.map((name) => `'${name}', ${alias}.${name}`).join(', ')})`;
  return `
    account_id::text,
    jsonb_build_object('table', '${table}', 'account_id', account_id, 'start_ms', start_ms, 'key_id', key_id,
                       'model', model)::text AS place,
    CASE WHEN e.requests IS NOT NULL THEN ${object('e')} END::text AS expected,
    CASE WHEN u.requests IS NOT NULL THEN ${object('u')} END::text AS found`;
}

/** SQL: whether e and u differ. */
export const ROLL_UP_DIFFERS = `
  (${ROLL_UP_SUMS.map((name) => `e.${name}`).join(', ')}) IS DISTINCT FROM (${ROLL_UP_SUMS.map((name) => `u.${name}`).join(', ')})`;

import type { Queryable } from '@tollgate/common/postgres/pool';
import { type Finding, type FindingRow, findingOf, type Invariant } from './finding.ts';

/** Which check found something: each takes back what it alone found once it finds it right. */
export type CheckedBy = 'slice' | 'account' | 'hour' | 'full';

/** Records findings; those known already are brought up to date. */
export async function storeFindings(db: Queryable, checkedBy: CheckedBy, findings: readonly Finding[]): Promise<void> {
  if (findings.length === 0) return;
  await db.query({
    name: 'store-findings',
    text: `
      INSERT INTO ledger.findings AS f (account_id, invariant, place, expected, found, checked_by)
      SELECT DISTINCT ON (account_id, invariant, place)
             account_id, invariant, place::jsonb, expected::jsonb, found::jsonb, $6
      FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[])
        AS given (account_id, invariant, place, expected, found)
      ON CONFLICT (account_id, invariant, place) DO UPDATE
        SET expected = excluded.expected, found = excluded.found, checked_by = excluded.checked_by,
            last_found_at = clock_timestamp()`,
    values: [
      findings.map((finding) => finding.accountId),
      findings.map((finding) => finding.invariant),
      findings.map((finding) => finding.place),
      findings.map((finding) => finding.expected),
      findings.map((finding) => finding.found),
      checkedBy,
    ],
  });
}

/** Takes back what the check of accounts found of these. */
export async function clearAccountFindings(db: Queryable, accountIds: readonly string[]): Promise<void> {
  await db.query({
    name: 'clear-account-findings',
    text: `DELETE FROM ledger.findings WHERE account_id = ANY ($1::uuid[]) AND checked_by = 'account'`,
    values: [accountIds],
  });
}

/** Takes back what the check of hours found of these hours and of the days they lie in. */
export async function clearHourFindings(
  db: Queryable,
  hours: readonly { accountId: string; startMs: number; dayMs: number }[],
): Promise<void> {
  await db.query({
    name: 'clear-hour-findings',
    text: `
      DELETE FROM ledger.findings f USING unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS h (account_id, hour, day)
      WHERE f.account_id = h.account_id AND f.checked_by = 'hour'
        AND (f.place -> 'start_ms' = to_jsonb(h.hour) AND f.place ->> 'table' = 'usage_hourly'
          OR f.place -> 'start_ms' = to_jsonb(h.day) AND f.place ->> 'table' = 'usage_daily')`,
    values: [hours.map((hour) => hour.accountId), hours.map((hour) => hour.startMs), hours.map((hour) => hour.dayMs)],
  });
}

/** Takes back whatever was found of the accounts after one up to and with another. */
export async function clearAllFindings(db: Queryable, range: { after: string; upTo: string }): Promise<void> {
  await db.query({
    name: 'clear-all-findings',
    text: 'DELETE FROM ledger.findings WHERE account_id > $1 AND account_id <= $2',
    values: [range.after, range.upTo],
  });
}

/** What is found wrong and not found right since: how much in all, and the oldest of it. */
export async function listFindings(db: Queryable, limit: number): Promise<{ findings: Finding[]; total: number }> {
  const { rows } = await db.query<FindingRow & { invariant: Invariant; total: bigint }>({
    name: 'list-findings',
    text: `
      SELECT account_id::text, invariant, place::text, expected::text, found::text, count(*) OVER () AS total
      FROM ledger.findings ORDER BY first_found_at, account_id, invariant, place LIMIT $1`,
    values: [limit],
  });
  return { findings: rows.map((row) => findingOf(row.invariant, row)), total: Number(rows[0]?.total ?? 0) };
}

import type { PoolClient } from '@tollgate/common/postgres/pool';
import { type Finding, type FindingRow, findingOf } from '../store/findings.ts';
import type { AccountHour } from '../store/reconciled.ts';
import { DAY_MS, HOUR_MS, idFloor, MAX_START_SKEW_MS } from '../store/time.ts';
import { isKept, QUANTITIES, ROLL_UP_DIFFERS, rollUpFinding, SUMS_OF_CHARGES, SUMS_OF_HOURS } from './statements.ts';

const HOURLY = `
  SELECT d.* FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::uuid[]) AS w (account_id, start_ms, first_id, end_id)
  CROSS JOIN LATERAL (
    SELECT ${rollUpFinding('usage_hourly')}
    FROM (
      SELECT c.account_id, w.start_ms, c.key_id, c.model, ${SUMS_OF_CHARGES}
      FROM ledger.charges c CROSS JOIN ${QUANTITIES}
      WHERE c.account_id = w.account_id AND c.started_at_ms >= w.start_ms AND c.started_at_ms < w.start_ms + ${HOUR_MS}
        AND c.request_id >= w.first_id AND c.request_id < w.end_id
      GROUP BY c.account_id, c.key_id, c.model
    ) e
    FULL JOIN (
      SELECT * FROM ledger.usage_hourly WHERE account_id = w.account_id AND start_ms = w.start_ms
    ) u USING (account_id, start_ms, key_id, model)
    WHERE ${ROLL_UP_DIFFERS}
  ) d
  WHERE ${isKept('w.start_ms')}
  LIMIT $5`;

const DAILY = `
  SELECT d.* FROM unnest($1::uuid[], $2::bigint[]) AS w (account_id, start_ms)
  CROSS JOIN LATERAL (
    SELECT ${rollUpFinding('usage_daily')}
    FROM (
      SELECT h.account_id, w.start_ms, h.key_id, h.model, ${SUMS_OF_HOURS}
      FROM ledger.usage_hourly h
      WHERE h.account_id = w.account_id AND h.start_ms >= w.start_ms AND h.start_ms < w.start_ms + ${DAY_MS}
      GROUP BY h.account_id, h.key_id, h.model
    ) e
    FULL JOIN (
      SELECT * FROM ledger.usage_daily WHERE account_id = w.account_id AND start_ms = w.start_ms
    ) u USING (account_id, start_ms, key_id, model)
    WHERE ${ROLL_UP_DIFFERS}
  ) d
  LIMIT $3`;

/** Compares the roll-ups of hours with their charges, and those of their days with the hours. */
export async function checkHours(client: PoolClient, hours: readonly AccountHour[], limit: number): Promise<Finding[]> {
  const hourly = await client.query<FindingRow>(HOURLY, [
    hours.map((hour) => hour.accountId),
    hours.map((hour) => hour.startMs),
    hours.map((hour) => idFloor(hour.startMs - MAX_START_SKEW_MS)),
    hours.map((hour) => idFloor(hour.startMs + HOUR_MS + MAX_START_SKEW_MS)),
    limit,
  ]);
  const days = new Map(hours.map((hour) => [`${hour.accountId}/${dayOf(hour.startMs)}`, hour]));
  const daily = await client.query<FindingRow>(DAILY, [
    [...days.values()].map((hour) => hour.accountId),
    [...days.values()].map((hour) => dayOf(hour.startMs)),
    limit,
  ]);
  return [...hourly.rows, ...daily.rows].map((row) => findingOf('roll_up_equals_charges', row));
}

/** The start of the UTC day of a time. */
export function dayOf(startMs: number): number {
  return startMs - (startMs % DAY_MS);
}

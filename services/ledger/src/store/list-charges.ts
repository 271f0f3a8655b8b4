import type { Queryable } from '@tollgate/common/postgres/pool';
import type { Charge } from '@tollgate/proto/ledger';
import type { Cursor, TimeRange } from '../ranges.ts';
import { idFloor, MAX_START_SKEW_MS } from '../request-time.ts';
import { CHARGE_COLUMNS, type ChargeRow, chargeFromRow } from './charge-row.ts';
import type { ChargeStatusLabel } from './charge-status.ts';

export interface ChargeFilter {
  model?: string | undefined;
  keyId?: string | undefined;
  status?: ChargeStatusLabel | undefined;
}

/**
 * Charges of an account whose requests started in a time range, newest first by request_id, after the cursor's. The time
 * inside an id is that of the start, or close to it, so the primary key finds them: bounds on the id keep the search to
 * few partitions and to the range and little more, and the start itself decides.
 */
export async function listCharges(
  db: Queryable,
  accountId: string,
  range: TimeRange,
  filter: ChargeFilter,
  cursor: Cursor | undefined,
  limit: number,
): Promise<Charge[]> {
  const last = idFloor(range.endMs + MAX_START_SKEW_MS);
  const values: unknown[] = [
    accountId,
    range.startMs,
    range.endMs,
    idFloor(range.startMs - MAX_START_SKEW_MS),
    before(cursor?.id.toLowerCase(), last),
    limit,
  ];
  const conditions: string[] = [];
  const where = (condition: (place: string) => string, value: unknown) => {
    values.push(value);
    conditions.push(`AND ${condition(`$${values.length}`)}`);
  };
  if (filter.model !== undefined) where((place) => `model = ${place}`, filter.model);
  if (filter.keyId !== undefined) where((place) => `key_id = ${place}`, filter.keyId);
  if (filter.status !== undefined) where((place) => `status = ${place}::ledger.charge_status`, filter.status);
  // Not a named statement: the plan depends on the range, which a shared plan would not know.
  const { rows } = await db.query<ChargeRow>(
    `SELECT ${CHARGE_COLUMNS} FROM ledger.charges
     WHERE account_id = $1 AND started_at_ms >= $2 AND started_at_ms < $3 AND request_id >= $4 AND request_id < $5
       ${conditions.join(' ')}
     ORDER BY request_id DESC LIMIT $6`,
    values,
  );
  return rows.map(chargeFromRow);
}

/** The lesser of two ids in lower case, whose text sorts as they do. */
function before(id: string | undefined, last: string): string {
  return id === undefined || id > last ? last : id;
}

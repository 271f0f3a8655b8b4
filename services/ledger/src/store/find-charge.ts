import type { Queryable } from '@tollgate/common/postgres/pool';
import type { Charge } from '@tollgate/proto/ledger';
import { CHARGE_COLUMNS, type ChargeRow, chargeFromRow } from './charge-row.ts';

/** What a charge is looked up by. Trace ids are 32 hex digits. */
export type ChargeName = { by: 'request_id' | 'trace_id'; id: string };

/** One charge of an account; of several under one trace id the latest. */
export async function findCharge(db: Queryable, accountId: string, name: ChargeName): Promise<Charge | undefined> {
  const { rows } = await db.query<ChargeRow>({
    name: `find-charge-by-${name.by}`,
    text: `
      SELECT ${CHARGE_COLUMNS} FROM ledger.charges WHERE account_id = $1 AND ${name.by} = $2
      ORDER BY request_id DESC LIMIT 1`,
    values: [accountId, name.id],
  });
  const row = rows[0];
  return row && chargeFromRow(row);
}

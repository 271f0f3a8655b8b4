import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { Place, Slice } from '../store/reconciliation.ts';
import { HOUR_MS } from '../store/time.ts';

const BEGINNING: Place = { accountId: '00000000-0000-0000-0000-000000000000', hourMs: 0 };
/** Behind every account. */
export const END: Place = { accountId: 'ffffffff-ffff-ffff-ffff-ffffffffffff', hourMs: 0 };

/** All accounts. */
export const EVERYTHING: Slice = { from: BEGINNING, end: END };

/** A slice ends with the hour in which it reaches so many charges, or rows of the hourly roll-up, or accounts. */
export interface SliceSize {
  charges: number;
  hours: number;
  accounts: number;
}

export const SLICE_SIZE: SliceSize = { charges: 50_000, hours: 10_000, accounts: 5_000 };

/** The slice that begins at a place. Its size is that of the roll-ups, which also bound where the charges are. */
export async function nextSlice(client: PoolClient, from: Place, size: SliceSize): Promise<Slice> {
  const { rows } = await client.query<{ account_id: string; hour_ms: bigint }>({
    name: 'next-slice',
    text: `
      WITH hours AS (
        SELECT account_id, start_ms, sum(requests) OVER in_order AS charges, row_number() OVER in_order AS place
        FROM (
          SELECT account_id, start_ms, requests FROM ledger.usage_hourly
          WHERE (account_id, start_ms) >= ($1, $2) ORDER BY account_id, start_ms LIMIT $4
        ) h
        WINDOW in_order AS (ORDER BY account_id, start_ms ROWS UNBOUNDED PRECEDING)
      )
      SELECT e.account_id::text, e.hour_ms FROM (
        (SELECT account_id, start_ms + ${HOUR_MS} AS hour_ms FROM hours WHERE charges >= $3 OR place = $4
         ORDER BY hours.place LIMIT 1)
        UNION ALL
        (SELECT account_id, 0 FROM ledger.balances WHERE account_id > $1 ORDER BY account_id OFFSET $5 LIMIT 1)
      ) e
      ORDER BY e.account_id, e.hour_ms LIMIT 1`,
    values: [from.accountId, from.hourMs, size.charges, size.hours, size.accounts],
  });
  const [row] = rows;
  return { from, end: row === undefined ? END : { accountId: row.account_id, hourMs: Number(row.hour_ms) } };
}

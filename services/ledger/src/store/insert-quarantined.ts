import type { PoolClient } from '@tollgate/common/postgres/pool';
import { Charge } from '@tollgate/proto/ledger';
import type { Quarantining } from '../settle/plan-settlement.ts';

/** Malformed ids are kept up to this length; the whole record is beside them. */
const LONGEST_ID = 100;

/** Keeps records aside for an operator. One seen before is only counted. */
export async function insertQuarantined(client: PoolClient, quarantined: readonly Quarantining[]): Promise<void> {
  const distinct = new Map<string, Quarantining>();
  for (const item of quarantined) {
    const { accountId, requestId } = item.record.charge;
    distinct.set(`${idText(accountId)}/${idText(requestId)}/${item.record.contentHash}`, item);
  }
  // In order of their key, so that two batches with the same records cannot wait for each other in a circle.
  const items = [...distinct.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
  await client.query({
    name: 'insert-quarantined',
    text: `
      INSERT INTO ledger.quarantine AS q (account_id, request_id, content_hash, reason, charge)
      SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::bytea[])
      ON CONFLICT (account_id, request_id, content_hash) DO UPDATE
        SET times_seen = q.times_seen + 1, last_seen_at = clock_timestamp(), reason = excluded.reason`,
    values: [
      items.map((item) => idText(item.record.charge.accountId)),
      items.map((item) => idText(item.record.charge.requestId)),
      items.map((item) => Buffer.from(item.record.contentHash, 'hex')),
      items.map((item) => item.reason),
      items.map((item) => Buffer.from(Charge.encode(item.record.received).finish())),
    ],
  });
}

function idText(id: string): string {
  return id.slice(0, LONGEST_ID).replaceAll('\0', '');
}

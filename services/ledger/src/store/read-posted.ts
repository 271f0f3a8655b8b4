import type { PoolClient } from '@tollgate/common/postgres/pool';
import { PairMap } from '../settle/pair-map.ts';
import type { SettlementRecord } from '../settle/settlement-record.ts';
import { accountIdsOf, requestIdsOf } from './charge-bytes.ts';

/**
 * The content hashes of those of these charges that are posted already, by account and request. The accounts' balances must be
 * locked, so that no other settlement posts one meanwhile.
 */
export async function readPosted(client: PoolClient, records: readonly SettlementRecord[]): Promise<PairMap<string>> {
  const [first, last] = bounds(records);
  const charges = records.map((record) => record.bytes);
  // The least and greatest id keep the search to the partitions they lie in, usually one.
  const { rows } = await client.query<{ account_id: string; request_id: string; content_hash: string }>({
    name: 'read-posted',
    text: `
      SELECT c.account_id::text, c.request_id::text, encode(c.content_hash, 'hex') AS content_hash
      FROM unnest($1::uuid[], $2::uuid[]) AS w (account_id, request_id)
      JOIN ledger.charges c ON c.account_id = w.account_id AND c.request_id = w.request_id
      WHERE c.request_id BETWEEN $3 AND $4`,
    values: [accountIdsOf(charges), requestIdsOf(charges), first, last],
  });
  const posted = new PairMap<string>();
  for (const row of rows) posted.set(row.account_id, row.request_id, row.content_hash);
  return posted;
}

/** Lower-case UUID text sorts as the UUIDs do. */
function bounds(records: readonly SettlementRecord[]): [string | undefined, string | undefined] {
  let first: string | undefined;
  let last: string | undefined;
  for (const { charge } of records) {
    const id = charge.requestId;
    if (first === undefined || id < first) first = id;
    if (last === undefined || id > last) last = id;
  }
  return [first, last];
}

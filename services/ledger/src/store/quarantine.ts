import type { PoolClient, Queryable } from '@tollgate/common/postgres/pool';
import { Charge } from '@tollgate/proto/ledger';

/** Names one quarantined record. The ids are text, as they may be malformed. */
export interface QuarantineKey {
  accountId: string;
  requestId: string;
  /** Hex digits. */
  contentHash: string;
}

export interface QuarantineRow extends QuarantineKey {
  reason: string;
  timesSeen: bigint;
  firstSeenAtMs: bigint;
  lastSeenAtMs: bigint;
  charge: Charge;
}

interface Row {
  account_id: string;
  request_id: string;
  content_hash: string;
  reason: string;
  times_seen: bigint;
  first_seen_at_ms: bigint;
  last_seen_at_ms: bigint;
  charge: Buffer;
}

const COLUMNS = `account_id, request_id, encode(content_hash, 'hex') AS content_hash, reason, times_seen, charge,
  floor(extract(epoch FROM first_seen_at) * 1000)::bigint AS first_seen_at_ms,
  floor(extract(epoch FROM last_seen_at) * 1000)::bigint AS last_seen_at_ms`;

/** Quarantined records in order of their key, after one. @param accountId of this account only; empty: of all */
export async function listQuarantined(
  db: Queryable,
  accountId: string,
  after: QuarantineKey | undefined,
  limit: number,
): Promise<QuarantineRow[]> {
  const ofAll = accountId === '';
  const { rows } = await db.query<Row>({
    name: ofAll ? 'list-quarantined' : 'list-quarantined-of-account',
    text: `
      SELECT ${COLUMNS} FROM ledger.quarantine q
      WHERE ${
        ofAll
          ? "(q.account_id, q.request_id, q.content_hash) > ($1, $2, decode($3, 'hex'))"
          : "q.account_id = $1 AND (q.request_id, q.content_hash) > ($2, decode($3, 'hex'))"
      }
      ORDER BY q.account_id, q.request_id, q.content_hash LIMIT $4`,
    values: [ofAll ? (after?.accountId ?? '') : accountId, after?.requestId ?? '', after?.contentHash ?? '', limit],
  });
  return rows.map(fromRow);
}

/** Locks the records of a request; only the one with the content where that is named. At most two. */
export async function lockQuarantined(client: PoolClient, key: QuarantineKey): Promise<QuarantineRow[]> {
  const { rows } = await client.query<Row>({
    name: 'lock-quarantined',
    text: `
      SELECT ${COLUMNS} FROM ledger.quarantine
      WHERE account_id = $1 AND request_id = $2 AND ($3 = '' OR content_hash = decode($3, 'hex'))
      ORDER BY ledger.quarantine.content_hash LIMIT 2 FOR UPDATE`,
    values: [key.accountId, key.requestId, key.contentHash],
  });
  return rows.map(fromRow);
}

/** Removes a record that is posted now. */
export async function removeQuarantined(client: PoolClient, key: QuarantineKey): Promise<void> {
  await client.query({
    name: 'remove-quarantined',
    text: `DELETE FROM ledger.quarantine WHERE account_id = $1 AND request_id = $2 AND content_hash = decode($3, 'hex')`,
    values: [key.accountId, key.requestId, key.contentHash],
  });
}

function fromRow(row: Row): QuarantineRow {
  return {
    accountId: row.account_id,
    requestId: row.request_id,
    contentHash: row.content_hash,
    reason: row.reason,
    timesSeen: row.times_seen,
    firstSeenAtMs: row.first_seen_at_ms,
    lastSeenAtMs: row.last_seen_at_ms,
    charge: Charge.decode(row.charge),
  };
}

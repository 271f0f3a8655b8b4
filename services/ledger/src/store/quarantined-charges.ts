import { inTransaction, type Pool, type PoolClient, type Queryable } from '@tollgate/common/postgres/pool';
import { Charge } from '@tollgate/proto/ledger';

/** A record to be quarantined. */
export interface NewQuarantined {
  record: {
    /** With ids in lower case. */
    charge: Charge;
    /** As it was sent. */
    received: Charge;
    /** Hex digits. */
    contentHash: string;
  };
  reason: string;
}

/** The key of a quarantined record. The ids are text, because they may be malformed. */
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

interface StoredRow {
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

/** A page of quarantined records in order of their key. @param accountId empty: of all accounts */
export async function listQuarantined(
  db: Queryable,
  accountId: string,
  after: QuarantineKey | undefined,
  limit: number,
): Promise<QuarantineRow[]> {
  const ofAll = accountId === '';
  const { rows } = await db.query<StoredRow>({
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

/** Locks the records of a request, or the one with the content hash if that is given. At most two. */
export async function lockQuarantined(client: PoolClient, key: QuarantineKey): Promise<QuarantineRow[]> {
  const { rows } = await client.query<StoredRow>({
    name: 'lock-quarantined',
    text: `
      SELECT ${COLUMNS} FROM ledger.quarantine
      WHERE account_id = $1 AND request_id = $2 AND ($3 = '' OR content_hash = decode($3, 'hex'))
      ORDER BY ledger.quarantine.content_hash LIMIT 2 FOR UPDATE`,
    values: [key.accountId, key.requestId, key.contentHash],
  });
  return rows.map(fromRow);
}

/** Removes a record after it was posted. */
export async function removeQuarantined(client: PoolClient, key: QuarantineKey): Promise<void> {
  await client.query({
    name: 'remove-quarantined',
    text: `DELETE FROM ledger.quarantine WHERE account_id = $1 AND request_id = $2 AND content_hash = decode($3, 'hex')`,
    values: [key.accountId, key.requestId, key.contentHash],
  });
}

function fromRow(row: StoredRow): QuarantineRow {
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

/** Malformed ids are truncated to this length; the record itself is complete. */
const MAX_ID_LENGTH = 100;

/** Quarantines records for an operator. A record seen before is only counted. */
export async function insertQuarantined(client: PoolClient, quarantined: readonly NewQuarantined[]): Promise<void> {
  const distinct = new Map<string, NewQuarantined>();
  for (const item of quarantined) {
    const { accountId, requestId } = item.record.charge;
    distinct.set(`${idText(accountId)}/${idText(requestId)}/${item.record.contentHash}`, item);
  }
  // In order of their key, so that batches with the same records cannot deadlock.
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
  return id.slice(0, MAX_ID_LENGTH).replaceAll('\0', '');
}

/** Quarantines one record, in a transaction of its own. */
export function quarantineAlone(pool: Pool, item: NewQuarantined): Promise<void> {
  return inTransaction(pool, (client) => insertQuarantined(client, [item]));
}

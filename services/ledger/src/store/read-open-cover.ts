import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { Cap } from '../settle/sum-caps.ts';
import { DATABASE_ID } from './identity.ts';

/** What an open session still covers. */
export interface OpenCover {
  databaseId: string;
  coverNanos: bigint;
}

/** Keeps the session from ending until the transaction does, as readLease does; of an older epoch it may be. */
const OPEN_SESSION = `
  WITH session AS (
    SELECT session_id FROM ledger.sessions WHERE session_id = $1 AND state = 'open' FOR KEY SHARE
  )`;

const COLUMNS = `${DATABASE_ID} AS database_id, coalesce(l.granted - l.spent - l.returned, 0) AS cover`;

/** Reads what a session covers of an account; undefined where it is not open. The account's balance must be locked. */
export function readOpenCover(
  client: PoolClient,
  sessionId: string,
  accountId: string,
): Promise<OpenCover | undefined> {
  return read(client, {
    name: 'read-open-cover',
    text: `${OPEN_SESSION}
      SELECT ${COLUMNS} FROM session s
      LEFT JOIN ledger.leases l ON l.account_id = $2 AND l.session_id = s.session_id`,
    values: [sessionId, accountId],
  });
}

/** As readOpenCover, of a cap. */
export function readOpenCapCover(client: PoolClient, sessionId: string, cap: Cap): Promise<OpenCover | undefined> {
  return read(client, {
    name: 'read-open-cap-cover',
    text: `${OPEN_SESSION}
      SELECT ${COLUMNS} FROM session s
      LEFT JOIN ledger.cap_leases l
        ON l.account_id = $2 AND l.key_id = $3 AND l.period = $4::ledger.cap_period AND l.period_start_ms = $5
          AND l.session_id = s.session_id`,
    values: [sessionId, cap.accountId, cap.keyId, cap.period, cap.startMs],
  });
}

async function read(
  client: PoolClient,
  query: { name: string; text: string; values: unknown[] },
): Promise<OpenCover | undefined> {
  const { rows } = await client.query<{ database_id: string; cover: bigint }>(query);
  const row = rows[0];
  return row && { databaseId: row.database_id, coverNanos: row.cover };
}

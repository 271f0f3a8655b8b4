import type { Queryable } from '@tollgate/common/postgres/pool';
import type { SessionKind } from '../sessions/session.ts';

/** A session, as it is stored. */
export interface SessionRow {
  session_id: string;
  kind: SessionKind;
  person_id: string;
  device: string;
  ip_address: string;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  view_as_account_id: string | null;
  session_generation: number;
}

const COLUMNS = `session_id, kind, person_id, device, ip_address, created_at, last_seen_at, expires_at, view_as_account_id,
  session_generation`;

/** A session ends after this time without use. */
const IDLE = `interval '24 hours'`;
/** And at the latest after this time. */
export const LIFE_S = 30 * 86_400;
const LIFE = `interval '${LIFE_S} seconds'`;
/** The sessions of a person that are kept; the least recently used of further ones end. */
const MAX_OF_PERSON = 100;

const LIVE = `expires_at > now() AND last_seen_at > now() - ${IDLE}`;

export interface NewSession {
  sessionId: string;
  kind: SessionKind;
  tokenSha256: Buffer;
  personId: string;
  sessionGeneration: number;
  device: string;
  ipAddress: string;
}

export async function insertSession(db: Queryable, session: NewSession): Promise<SessionRow | undefined> {
  const { rows } = await db.query<SessionRow>(
    `INSERT INTO console.sessions (session_id, kind, token_sha256, person_id, session_generation, device, ip_address, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, now() + ${LIFE})
     RETURNING ${COLUMNS}`,
    [
      session.sessionId,
      session.kind,
      session.tokenSha256,
      session.personId,
      session.sessionGeneration,
      session.device,
      session.ipAddress,
    ],
  );
  await db.query(
    `DELETE FROM console.sessions WHERE session_id IN (
       SELECT session_id FROM console.sessions WHERE person_id = $1 ORDER BY last_seen_at DESC, session_id DESC OFFSET ${MAX_OF_PERSON})`,
    [session.personId],
  );
  return rows[0];
}

/** A live session by the hash of its token; records that it was seen, at most once a minute. */
export async function findSession(db: Queryable, tokenSha256: Buffer): Promise<SessionRow | undefined> {
  const { rows } = await db.query<SessionRow & { seen_long_ago: boolean }>({
    name: 'find-session',
    text: `SELECT ${COLUMNS}, last_seen_at < now() - interval '1 minute' AS seen_long_ago
           FROM console.sessions WHERE token_sha256 = $1 AND ${LIVE}`,
    values: [tokenSha256],
  });
  const [row] = rows;
  if (row?.seen_long_ago === true) {
    await db.query('UPDATE console.sessions SET last_seen_at = now() WHERE session_id = $1', [row.session_id]);
  }
  return row;
}

/** The live sessions of a person's generation, most recently used first. */
export async function listSessions(
  db: Queryable,
  { personId, generation }: { personId: string; generation: number },
): Promise<SessionRow[]> {
  const { rows } = await db.query<SessionRow>(
    `SELECT ${COLUMNS} FROM console.sessions WHERE person_id = $1 AND session_generation = $2 AND ${LIVE}
     ORDER BY last_seen_at DESC, session_id`,
    [personId, generation],
  );
  return rows;
}

/** Ends a session of a person; false if there is none. */
export async function deleteSession(db: Queryable, personId: string, sessionId: string): Promise<boolean> {
  const { rowCount } = await db.query('DELETE FROM console.sessions WHERE session_id = $1 AND person_id = $2', [
    sessionId,
    personId,
  ]);
  return rowCount === 1;
}

/** Makes a session one of another generation of its person, in which it goes on. */
export async function setSessionGeneration(db: Queryable, sessionId: string, generation: number): Promise<void> {
  await db.query('UPDATE console.sessions SET session_generation = $2 WHERE session_id = $1', [sessionId, generation]);
}

/** Removes the sessions of a person that are not of a generation; returns how many. */
export async function deleteOtherGenerations(db: Queryable, personId: string, generation: number): Promise<number> {
  const { rowCount } = await db.query(
    'DELETE FROM console.sessions WHERE person_id = $1 AND session_generation <> $2',
    [personId, generation],
  );
  return rowCount ?? 0;
}

export async function setViewAs(db: Queryable, sessionId: string, accountId: string | undefined): Promise<void> {
  await db.query('UPDATE console.sessions SET view_as_account_id = $2 WHERE session_id = $1', [
    sessionId,
    accountId ?? null,
  ]);
}

/** Removes sessions that have ended and that nobody else is removing; returns how many. */
export async function deleteEndedSessions(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM console.sessions WHERE session_id IN (
       SELECT session_id FROM console.sessions WHERE NOT (${LIVE}) ORDER BY last_seen_at LIMIT $1
       FOR UPDATE SKIP LOCKED)`,
    [limit],
  );
  return rowCount ?? 0;
}

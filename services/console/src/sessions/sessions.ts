import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { newId } from '@tollgate/common/ids';
import { inTransaction, onlyRow, type Pool } from '@tollgate/common/postgres/pool';
import type { Response } from 'express';
import { readCookie } from '../http/cookies.ts';
import type { Client } from '../http/handler.ts';
import { findSession, insertSession, type SessionRow } from '../store/sessions.ts';
import { sessionCookieName } from './cookie-name.ts';
import { describeDevice } from './device.ts';
import type { Session } from './session.ts';

const TOKEN_BYTES = 32;

/** Sessions of people in the browser: a random token in a cookie, and its hash in Postgres. */
export class Sessions {
  readonly #pool: Pool;
  readonly #secure: boolean;
  readonly #cookieName: string;

  /** @param consoleUrl decides the cookie */
  constructor(pool: Pool, consoleUrl: string) {
    this.#pool = pool;
    this.#secure = consoleUrl.startsWith('https:');
    this.#cookieName = sessionCookieName(consoleUrl);
  }

  /** The live session of a request. */
  async of(req: IncomingMessage): Promise<Session | undefined> {
    const token = readCookie(req, this.#cookieName);
    if (token === undefined) return undefined;
    const row = await findSession(this.#pool, hashOf(token));
    return row === undefined ? undefined : toSession(row);
  }

  /** Begins a session and sets its cookie. */
  async begin(response: Response, personId: string, client: Client): Promise<Session> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const row = await inTransaction(this.#pool, (db) =>
      insertSession(db, {
        sessionId: newId(),
        tokenSha256: hashOf(token),
        personId,
        device: describeDevice(client.userAgent),
        ipAddress: client.ip,
      }),
    );
    response.cookie(this.#cookieName, token, this.#cookieOptions);
    return toSession(onlyRow(row === undefined ? [] : [row], 'the new session is missing'));
  }

  /** Removes the cookie. */
  clearCookie(response: Response): void {
    response.clearCookie(this.#cookieName, this.#cookieOptions);
  }

  get #cookieOptions() {
    return { httpOnly: true, sameSite: 'strict', secure: this.#secure, path: '/' } as const;
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function toSession(row: SessionRow): Session {
  return {
    sessionId: row.session_id,
    personId: row.person_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    viewAsAccountId: row.view_as_account_id ?? undefined,
  };
}

import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { unaryCall } from '@tollgate/common/grpc/client';
import { networkOf } from '@tollgate/common/http/client-network';
import { newId } from '@tollgate/common/ids';
import { inTransaction, onlyRow, type Pool } from '@tollgate/common/postgres/pool';
import { hashOfSecret } from '@tollgate/common/secret-links';
import { type AuthServiceClient, type Person, SessionEvent } from '@tollgate/proto/auth';
import type { Response } from 'express';
import { readBearer } from '../http/bearer.ts';
import type { Client } from '../http/call.ts';
import { readCookie } from '../http/cookies.ts';
import { rememberNetwork } from '../store/attempts.ts';
import { findSession, insertSession, type NewSession, type SessionRow } from '../store/sessions.ts';
import { sessionCookieName } from './cookie-name.ts';
import { describeDevice } from './device.ts';
import { recordSession, type SignInMethod } from './record-session.ts';
import type { Session, SessionKind } from './session.ts';

const TOKEN_BYTES = 32;
const CALL = { deadlineMs: 5_000 };

/**
 * Sessions of people: a random token, in a cookie of a browser or kept by the command line, and its hash in Postgres. Each has the generation that its
 * person had when they were identified; auth gives them another when their password changes, also while they are signing in.
 */
export class Sessions {
  readonly #pool: Pool;
  readonly #auth: AuthServiceClient;
  readonly #secure: boolean;
  readonly #cookieName: string;

  /** @param consoleUrl decides the cookie */
  constructor({ pool, auth, consoleUrl }: { pool: Pool; auth: AuthServiceClient; consoleUrl: string }) {
    this.#pool = pool;
    this.#auth = auth;
    this.#secure = consoleUrl.startsWith('https:');
    this.#cookieName = sessionCookieName(consoleUrl);
  }

  /** The live session of a request. */
  async of(req: IncomingMessage): Promise<Session | undefined> {
    const bearer = readBearer(req);
    const token = bearer ?? readCookie(req, this.#cookieName);
    if (token === undefined) return undefined;
    const row = await findSession(this.#pool, hashOfSecret(token));
    if (row?.kind !== (bearer === undefined ? 'browser' : 'command_line')) return undefined;
    const { person_id: personId, session_generation: sessionGeneration } = row;
    const auth = this.#auth;
    const { goesOn } = await unaryCall(auth.checkSession.bind(auth), { personId, sessionGeneration }, CALL);
    return goesOn ? toSession(row) : undefined;
  }

  /**
   * Begins a session and sets its cookie.
   *
   * @param person as they were when they were identified
   */
  async begin(
    response: Response,
    { personId, email, sessionGeneration }: Pick<Person, 'personId' | 'email' | 'sessionGeneration'>,
    client: Client,
    method: SignInMethod,
  ): Promise<Session> {
    const from = { device: describeDevice(client.userAgent), ipAddress: client.ip };
    const { token, row } = await this.#insert('browser', { personId, sessionGeneration, ...from }, method);
    await rememberNetwork(this.#pool, email, networkOf(client.ip));
    response.cookie(this.#cookieName, token, this.#cookieOptions);
    return toSession(row);
  }

  /** Begins a session of the command line that a person has confirmed. @returns its token */
  async beginOfCommandLine(session: Omit<NewSession, 'sessionId' | 'kind' | 'tokenSha256'>): Promise<string> {
    return (await this.#insert('command_line', session, 'device')).token;
  }

  async #insert(
    kind: SessionKind,
    session: Omit<NewSession, 'sessionId' | 'kind' | 'tokenSha256'>,
    method: SignInMethod,
  ): Promise<{ token: string; row: SessionRow }> {
    const { personId, device, ipAddress } = session;
    await recordSession(this.#auth, { personId }, SessionEvent.BEGUN, { method, device, ip_address: ipAddress });
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const inserted = await inTransaction(this.#pool, (db) =>
      insertSession(db, { ...session, sessionId: newId(), kind, tokenSha256: hashOfSecret(token) }),
    );
    return { token, row: onlyRow(inserted === undefined ? [] : [inserted], 'the new session is missing') };
  }

  /** Removes the cookie. */
  clearCookie(response: Response): void {
    response.clearCookie(this.#cookieName, this.#cookieOptions);
  }

  get #cookieOptions() {
    return { httpOnly: true, sameSite: 'strict', secure: this.#secure, path: '/' } as const;
  }
}

function toSession(row: SessionRow): Session {
  return {
    sessionId: row.session_id,
    kind: row.kind,
    personId: row.person_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    viewAsAccountId: row.view_as_account_id ?? undefined,
    generation: row.session_generation,
  };
}

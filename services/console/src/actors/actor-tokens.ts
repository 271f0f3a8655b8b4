import { createHash } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { type RoleName, roleName } from '@tollgate/common/actors/roles';
import { isGrpcError } from '@tollgate/common/errors';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { ActorToken, AuthServiceClient } from '@tollgate/proto/auth';
import { ExpiringMap } from '../expiring-map.ts';
import { ApiError } from '../http/api-error.ts';
import type { Session } from '../sessions/session.ts';

/** How long a token is used again: a changed role or removed membership applies after this time at the latest. */
const SESSION_TOKEN_MS = 20_000;
/** The same for management keys. */
const KEY_TOKEN_MS = 5_000;
const MAX_TOKENS = 10_000;
const DEADLINE_MS = 5_000;

/** An actor as auth has identified it. */
export interface IssuedToken {
  token: string;
  role: RoleName;
  /** Undefined: all accounts. */
  accountId: string | undefined;
}

/** Gets actor tokens of sessions and management keys from auth, and uses each for a moment. */
export class ActorTokens {
  readonly #auth: AuthServiceClient;
  /** By session and account, or by the hash of a management key. Null: the person is not an operator. */
  readonly #tokens: ExpiringMap<IssuedToken | null>;

  constructor(auth: AuthServiceClient, now?: () => number) {
    this.#auth = auth;
    this.#tokens = new ExpiringMap(MAX_TOKENS, now);
  }

  /**
   * A token of the person of a session: as an operator if they are one, else as a member of the account. While they view
   * an account, only for that one and read-only.
   *
   * @param accountId undefined for what only operators may do
   * @throws ApiError not_allowed: they are neither an operator nor a member
   */
  async ofSession(session: Session, accountId: string | undefined): Promise<IssuedToken> {
    const { viewAsAccountId } = session;
    if (viewAsAccountId !== undefined) {
      if (accountId !== viewAsAccountId)
        throw new ApiError('not_allowed', 'Stop viewing the account as its members see it first.');
      const token = await this.#issue(session, accountId, true);
      if (token !== undefined) return token;
      throw new ApiError('not_allowed', 'Only operators may view an account as its members see it.');
    }
    const token =
      (await this.#issue(session, undefined, false)) ?? (accountId && (await this.#issue(session, accountId, false)));
    if (token) return token;
    throw new ApiError(
      'not_allowed',
      accountId === undefined ? 'Only operators may do this.' : 'You are not a member of this account.',
    );
  }

  /** A token of a management key; undefined if auth does not accept the key. */
  async ofManagementKey(key: string): Promise<IssuedToken | undefined> {
    const keySha256 = createHash('sha256').update(key).digest();
    const name = `key ${keySha256.toString('hex')}`;
    const known = this.#tokens.get(name);
    if (known !== undefined && known !== null) return known;
    const { auth } = { auth: this.#auth };
    const issued = await unlessDenied(
      unaryCall(auth.issueManagementKeyToken.bind(auth), { keySha256 }, { deadlineMs: DEADLINE_MS }),
    );
    if (issued === undefined) return undefined;
    const token = toIssuedToken(issued);
    this.#tokens.set(name, token, KEY_TOKEN_MS);
    return token;
  }

  /** Forgets the tokens of a session, so that a change of its person applies at once. */
  forget(sessionId: string): void {
    this.#tokens.deleteAll(`session ${sessionId} `);
  }

  async #issue(session: Session, accountId: string | undefined, viewAs: boolean): Promise<IssuedToken | undefined> {
    const name = `session ${session.sessionId} ${viewAs ? 'view-as ' : ''}${accountId ?? 'operator'}`;
    const known = this.#tokens.get(name);
    if (known !== undefined) return known ?? undefined;
    const auth = this.#auth;
    const request = { personId: session.personId, accountId: accountId ?? '', viewAs };
    const issued = await unlessDenied(unaryCall(auth.issueActorToken.bind(auth), request, { deadlineMs: DEADLINE_MS }));
    // A member who is added gets access at once; one who becomes an operator may wait for a moment.
    if (issued !== undefined) this.#tokens.set(name, toIssuedToken(issued), SESSION_TOKEN_MS);
    else if (accountId === undefined) this.#tokens.set(name, null, SESSION_TOKEN_MS);
    return issued === undefined ? undefined : toIssuedToken(issued);
  }
}

/** Undefined for PERMISSION_DENIED. NOT_FOUND: the person is gone. */
async function unlessDenied(issued: Promise<ActorToken>): Promise<ActorToken | undefined> {
  try {
    return await issued;
  } catch (error) {
    if (isGrpcError(error) && (error.code === status.PERMISSION_DENIED || error.code === status.NOT_FOUND))
      return undefined;
    throw error;
  }
}

function toIssuedToken({ token, role, accountId }: ActorToken): IssuedToken {
  const name = roleName(role);
  if (name === undefined) throw new Error('auth has issued a token without a role');
  return { token, role: name, accountId: accountId === '' ? undefined : accountId };
}

import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import { ApiError } from '../http/api-error.ts';
import type { Session } from '../sessions/session.ts';
import { type IssuedToken, toIssuedToken, unlessDenied } from './issued-token.ts';

const DEADLINE_MS = 5_000;

/** Gets actor tokens of the people of sessions from auth. None is kept: a role that was taken away is gone at every console. */
export class SessionTokens {
  readonly #auth: AuthServiceClient;

  constructor(auth: AuthServiceClient) {
    this.#auth = auth;
  }

  /**
   * A token of the person of a session: as an operator if they are one, else as a member of the account. While they view
   * an account, only for that one and read-only.
   *
   * @param accountId undefined for what only operators may do
   * @throws ApiError not_allowed: they are neither an operator nor a member
   */
  async tokenOf(session: Session, accountId: string | undefined): Promise<IssuedToken> {
    if (session.viewAsAccountId !== undefined) return this.#viewingToken(session, session.viewAsAccountId, accountId);
    const asOperator = await this.operatorToken(session);
    if (asOperator !== undefined) return asOperator;
    if (accountId === undefined) throw new ApiError('not_allowed', 'Only operators may do this.');
    const asMember = await this.#issue(session, { accountId, viewAs: false });
    if (asMember !== undefined) return asMember;
    throw new ApiError('not_allowed', 'You are not a member of this account.');
  }

  /** A token of the person as an operator; undefined if they are none. */
  async operatorToken(session: Session): Promise<IssuedToken | undefined> {
    return this.#issue(session, { accountId: '', viewAs: false });
  }

  async #viewingToken(session: Session, viewed: string, accountId: string | undefined): Promise<IssuedToken> {
    if (accountId !== viewed) throw new ApiError('not_allowed', 'You are viewing an account. Stop viewing it first.');
    const token = await this.#issue(session, { accountId, viewAs: true });
    if (token !== undefined) return token;
    throw new ApiError('not_allowed', 'Only operators may view an account as its members see it.');
  }

  async #issue(session: Session, as: { accountId: string; viewAs: boolean }): Promise<IssuedToken | undefined> {
    const auth = this.#auth;
    const request = { personId: session.personId, ...as };
    const issued = await unlessDenied(unaryCall(auth.issueActorToken.bind(auth), request, { deadlineMs: DEADLINE_MS }));
    return issued === undefined ? undefined : toIssuedToken(issued);
  }
}

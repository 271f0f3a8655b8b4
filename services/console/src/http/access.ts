import type { RoleName } from '@tollgate/common/actors/roles';
import type { IssuedToken } from '../actors/issued-token.ts';
import type { Operation } from '../api/operations.ts';
import type { KnownAccounts } from '../lookups/known-accounts.ts';
import type { Session } from '../sessions/session.ts';
import { ApiError, apiErrors } from './api-error.ts';
import type { Acting } from './call.ts';

/** Who makes a request. */
export interface Caller {
  /** Undefined: nobody is signed in, or a program calls. */
  session: Session | undefined;
  /**
   * The actor in an account, or, for undefined, as an operator.
   *
   * @throws ApiError not_signed_in, not_allowed
   */
  token: (accountId: string | undefined) => Promise<IssuedToken>;
}

export interface AccessContext {
  /** Of the path. */
  accountId: string | undefined;
  accounts: KnownAccounts;
  /** The time limit of calls of services that need no other. */
  usualMs: number;
  signal: AbortSignal;
}

/**
 * Whether a caller may call an operation, and what its handler learns of them.
 *
 * @throws ApiError not_signed_in, not_allowed
 */
export async function checkAccess(
  access: Operation['access'],
  caller: Caller,
  { accountId, accounts, usualMs, signal }: AccessContext,
): Promise<{ session: Session | undefined } & Partial<Acting>> {
  const { session } = caller;
  if (access === 'anyone') return { session };
  if (access === 'person') {
    if (session === undefined) throw apiErrors.notSignedIn();
    return { session };
  }
  const { role, actorId } = requireRole(await caller.token(accountId), access, accountId);
  const actorToken = async () => (await caller.token(accountId)).token;
  const rpc = async (deadlineMs = usualMs) => ({ deadlineMs, signal, actorToken: await actorToken() });
  if (role === 'operator' && accountId !== undefined) await accounts.require(accountId, await rpc());
  return { role, actorId, session, actorToken, rpc };
}

/** The services check this too; here it names what is missing. */
function requireRole(token: IssuedToken, access: readonly RoleName[], accountId: string | undefined): IssuedToken {
  if (token.accountId !== undefined && token.accountId !== accountId)
    throw new ApiError('not_allowed', 'The management key belongs to another account.');
  if (access.includes(token.role)) return token;
  throw new ApiError('not_allowed', `This needs the role ${listOf(access)}; yours is ${token.role}.`);
}

function listOf(roles: readonly RoleName[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(roles);
}

import { type RoleName, roleName } from '@tollgate/common/actors/roles';
import { failedWith } from '@tollgate/common/errors';
import type { ActorToken } from '@tollgate/proto/auth';

/** An actor as auth has identified it. */
export interface IssuedToken {
  token: string;
  /** The person or management key. */
  actorId: string;
  role: RoleName;
  /** Undefined: all accounts. */
  accountId: string | undefined;
}

/** Undefined where auth issues no token: the actor may not act there, or does not exist. */
export async function unlessDenied(issued: Promise<ActorToken>): Promise<ActorToken | undefined> {
  try {
    return await issued;
  } catch (error) {
    if (failedWith(error, 'permission_denied') || failedWith(error, 'not_found')) return undefined;
    throw error;
  }
}

export function toIssuedToken({ token, actorId, role, accountId }: ActorToken): IssuedToken {
  const name = roleName(role);
  if (name === undefined) throw new Error('auth has issued a token without a role');
  return { token, actorId, role: name, accountId: accountId === '' ? undefined : accountId };
}

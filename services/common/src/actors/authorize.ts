import type { KeyObject } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';
import { RpcError } from '../errors.ts';
import { actorTokenOf } from './attach-token.ts';
import { PERMISSIONS, type Permission } from './permissions.ts';
import { type Actor, verifyActorToken } from './token.ts';

/** Whether an actor, identified by a token, still has the role that it names. */
export type HasRole = (actor: Actor, token: string) => Promise<boolean>;

/**
 * Checks that the actor of a call may make it, and returns the actor; undefined for calls without one.
 *
 * @throws RpcError unauthenticated: a token is required and missing or not valid; permission_denied: the actor may not
 */
export type Authorize = (path: string, metadata: Metadata, request: unknown) => Promise<Actor | undefined>;

/**
 * Authorizes calls by their actor tokens and PERMISSIONS. A call that changes something also needs the actor's present role,
 * which may have been taken away since auth issued the token.
 *
 * @param keys public keys of auth
 * @param hasRole asks auth; undefined: tokens alone decide
 */
export function authorizeBy(keys: readonly KeyObject[], hasRole?: HasRole): Authorize {
  return async (path, metadata, request) => {
    const permission = PERMISSIONS[path];
    if (permission === undefined) throw new RpcError('permission_denied', 'no role may make this call');
    if (permission === 'caller') return undefined;
    const token = actorTokenOf(metadata);
    // Whether the caller is an ingress was checked by its certificate; see callerCheck.
    if (token === undefined && (permission.ingress === true || permission.anonymous === true)) return undefined;
    const actor = await verifyActorToken(keys, token ?? '', Date.now());
    if (actor === undefined) {
      throw new RpcError('unauthenticated', 'the actor token is missing, expired or not signed by auth');
    }
    checkActor(actor, permission, accountOf(request));
    if (permission.changes && hasRole !== undefined && !(await hasRole(actor, token ?? ''))) {
      throw new RpcError('permission_denied', `the role ${actor.role} has been taken away`);
    }
    return actor;
  };
}

/** @param accountId the account that the request names; undefined: the request has no such field */
function checkActor(actor: Actor, permission: Permission, accountId: string | undefined): void {
  if (!permission.roles.includes(actor.role)) {
    throw new RpcError('permission_denied', `the role ${actor.role} may not do this`);
  }
  if (permission.people === true && actor.via === 'api') {
    throw new RpcError('permission_denied', 'a management key may not do this');
  }
  if (permission.changes && actor.readOnly) throw new RpcError('permission_denied', 'view-as is read-only');
  if (actor.accountId === undefined || permission.accountless === true) return;
  if (accountId?.toLowerCase() !== actor.accountId) {
    throw new RpcError('permission_denied', 'account_id: must be the account of the actor');
  }
}

function accountOf(request: unknown): string | undefined {
  if (typeof request !== 'object' || request === null || !('accountId' in request)) return undefined;
  return typeof request.accountId === 'string' ? request.accountId : undefined;
}

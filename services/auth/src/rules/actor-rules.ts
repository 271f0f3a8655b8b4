import type { RoleName } from '@tollgate/common/actors/roles';
import type { Actor } from '@tollgate/common/actors/token';
import { RpcError } from '@tollgate/common/errors';
import type { Account } from '@tollgate/proto/auth';
import type { KeyScope } from '../store/key-lists.ts';
import type { KeyRow } from '../store/keys.ts';

// What PERMISSIONS cannot express, because it depends on the request; docs/reference/roles.md lists all of it.

/**
 * The keys that an actor may see and change: a developer only those they made, and keys below them, in the projects they may
 * use.
 */
export function keyScopeOf(actor: Actor, accountId: string | undefined): KeyScope {
  return { accountId, createdById: actor.role === 'developer' ? actor.id : undefined, projectIds: actor.projectIds };
}

/** Whether a key is one that an actor may see and change. */
export function mayUseKey(actor: Actor, key: Pick<KeyRow, 'maker_id' | 'project_id'>): boolean {
  return (actor.role !== 'developer' || key.maker_id === actor.id) && mayUseProject(actor, key.project_id);
}

/** Whether a project is one that an actor may see and use: some developers only have some of them. */
export function mayUseProject({ projectIds }: Pick<Actor, 'projectIds'>, projectId: string): boolean {
  return projectIds === undefined || projectIds.includes(projectId);
}

/** An account without what only operators see of it. */
export function accountShownTo(actor: Actor, account: Account): Account {
  return actor.role === 'operator' ? account : { ...account, suspensionReason: undefined, priceRules: undefined };
}

/** Refuses attributes that only operators may change. */
export function requireOperator(actor: Actor, field: string, given: unknown): void {
  if (given === undefined || actor.role === 'operator') return;
  throw new RpcError('permission_denied', `${field}: only an operator may change this`);
}

/** Refuses attributes of an existing key that a developer may not change. */
export function refuseDeveloper(actor: Actor, field: string, given: unknown): void {
  if (given === undefined || actor.role !== 'developer') return;
  throw new RpcError('permission_denied', `${field}: a developer may set this only when creating a key`);
}

/** Refuses what a developer may never set of a key. */
export function requireNoDeveloper(actor: Actor, field: string, given: unknown): void {
  if (given === undefined || actor.role !== 'developer') return;
  throw new RpcError('permission_denied', `${field}: a developer may not set this`);
}

/**
 * Refuses an admin who would change, remove, invite or make an owner, and a management key that would do so or invite an
 * operator: whoever has stolen it would keep their access as a person after it is deleted.
 */
export function requireMayManage(actor: Actor, role: RoleName): void {
  if (role !== 'owner' && role !== 'operator') return;
  if (actor.via === 'api') {
    throw new RpcError('permission_denied', `a management key may not invite, make, change or remove ${role}s`);
  }
  if (actor.role === 'owner' || actor.role === 'operator') return;
  throw new RpcError('permission_denied', 'only an owner or an operator may invite, make, change or remove owners');
}

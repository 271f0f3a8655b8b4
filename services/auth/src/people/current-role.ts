import type { Actor } from '@tollgate/common/actors/token';
import { RpcError } from '@tollgate/common/errors';
import type { PoolClient, Queryable } from '@tollgate/common/postgres/pool';
import { isActiveManagementKey } from '../store/management-keys.ts';
import { findRights, type MemberRights } from '../store/memberships.ts';
import { findPerson } from '../store/people.ts';

/**
 * Refuses an actor whose role has been taken away since the call began: somebody who is just being removed must neither let
 * themselves in again nor remove others. The members of the account, or the operators, are locked.
 */
export async function requireCurrentRole(
  client: PoolClient,
  actor: Actor,
  accountId: string | undefined,
): Promise<void> {
  if (await hasCurrentRole(client, actor, accountId)) return;
  throw new RpcError('permission_denied', `the role ${actor.role} has been taken away`);
}

/** Whether an actor has the role of their token in an account, or as an operator, now; a higher one includes it. */
export async function hasCurrentRole(db: Queryable, actor: Actor, accountId: string | undefined): Promise<boolean> {
  switch (actor.via) {
    case 'cli':
      return true;
    case 'api':
      return isActiveManagementKey(db, actor.id);
    case 'console': {
      if (actor.role === 'operator') return (await findPerson(db, actor.id))?.is_operator === true;
      const rights = accountId === undefined ? undefined : await findRights(db, accountId, actor.id);
      return rights !== undefined && includes(rights, actor);
    }
    default:
      return actor.via satisfies never;
  }
}

/** Whether a member may do what a token says, in all projects that it names. */
function includes({ role, projectIds }: MemberRights, actor: Actor): boolean {
  if (role === 'owner') return true;
  if (actor.role !== 'developer') return role === actor.role;
  if (role === 'admin') return true;
  if (role !== 'developer') return false;
  if (projectIds === undefined) return true;
  return actor.projectIds?.every((id) => projectIds.includes(id)) ?? false;
}

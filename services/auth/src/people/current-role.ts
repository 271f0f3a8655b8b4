import type { Actor } from '@tollgate/common/actors/token';
import { RpcError } from '@tollgate/common/errors';
import type { PoolClient, Queryable } from '@tollgate/common/postgres/pool';
import { isActiveManagementKey } from '../store/management-keys.ts';
import { findRole } from '../store/memberships.ts';
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
      const role = accountId === undefined ? undefined : await findRole(db, accountId, actor.id);
      return role === actor.role || role === 'owner' || (role === 'admin' && actor.role === 'developer');
    }
    default:
      return actor.via satisfies never;
  }
}

import type { Actor } from '@tollgate/common/actors/token';
import { RpcError } from '@tollgate/common/errors';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import { isActiveManagementKey } from '../store/management-keys.ts';
import { findRole } from '../store/memberships.ts';
import { findPerson } from '../store/people.ts';

/**
 * Refuses an actor whose token has outlived their role, where what they make would outlive it too: somebody who was just
 * removed must not let themselves in again. A higher role than the token's includes it. The members of the account, or the
 * operators, are locked.
 */
export async function requireCurrentRole(
  client: PoolClient,
  actor: Actor,
  accountId: string | undefined,
): Promise<void> {
  if (await hasRole(client, actor, accountId)) return;
  throw new RpcError('permission_denied', `the role ${actor.role} has been taken away`);
}

async function hasRole(client: PoolClient, actor: Actor, accountId: string | undefined): Promise<boolean> {
  switch (actor.via) {
    case 'cli':
      return true;
    case 'api':
      return isActiveManagementKey(client, actor.id);
    case 'console': {
      if (actor.role === 'operator') return (await findPerson(client, actor.id))?.is_operator === true;
      const role = accountId === undefined ? undefined : await findRole(client, accountId, actor.id);
      return role === actor.role || role === 'owner' || (role === 'admin' && actor.role === 'developer');
    }
    default:
      return actor.via satisfies never;
  }
}

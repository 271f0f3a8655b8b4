import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { RemoveMemberRequest, RemoveMemberResponse } from '@tollgate/proto/auth';
import { requireCurrentRole } from '../people/current-role.ts';
import { lockMember, requireAnotherOwner } from '../people/lock-member.ts';
import { requireMayManage } from '../rules/actor-rules.ts';
import { insertAudit } from '../store/audit.ts';
import { listActiveKeysOfCreator } from '../store/key-lists.ts';
import { toApiKey } from '../store/keys.ts';
import { listActiveManagementKeysOfCreator, toManagementKey } from '../store/management-keys.ts';
import { removeMembership } from '../store/memberships.ts';

/** Maximum keys of each kind in a response. */
const MAX_KEYS = 1_000;

/** Removes a member, and returns the API keys and management keys they made, which stay valid. */
export function createRemoveMemberHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<RemoveMemberRequest, RemoveMemberResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const accountId = uuidArgument('account_id', request.accountId);
    const personId = uuidArgument('person_id', request.personId);
    await inTransaction(pool, async (client) => {
      const { role, email } = await lockMember(client, accountId, personId);
      await requireCurrentRole(client, actor, accountId);
      requireMayManage(actor, role);
      if (role === 'owner') await requireAnotherOwner(client, accountId);
      await removeMembership(client, accountId, personId);
      const target = { targetId: personId, targetName: email, details: { role } };
      await insertAudit(client, { accountId, actor, action: 'member.remove', ...target });
    });
    const keys = await listActiveKeysOfCreator(pool, accountId, personId, MAX_KEYS);
    const managementKeys = await listActiveManagementKeysOfCreator(pool, accountId, personId, MAX_KEYS);
    const nowMs = Date.now();
    return {
      keys: keys.map((key) => toApiKey(key, nowMs)),
      managementKeys: managementKeys.map((key) => toManagementKey(key, nowMs)),
    };
  };
}

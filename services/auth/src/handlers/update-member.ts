import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { UpdateMemberRequest, UpdateMemberResponse } from '@tollgate/proto/auth';
import { changedAttributes } from '../audit/differences.ts';
import { requireCurrentRole } from '../people/current-role.ts';
import { lockMember, requireAnotherOwner } from '../people/lock-member.ts';
import { requireMayManage } from '../rules/actor-rules.ts';
import { insertAudit } from '../store/audit.ts';
import { toMember, writeRole } from '../store/memberships.ts';
import { memberRoleArgument } from './people-arguments.ts';

/** Changes the role of a member. */
export function createUpdateMemberHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<UpdateMemberRequest, UpdateMemberResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const accountId = uuidArgument('account_id', request.accountId);
    const personId = uuidArgument('person_id', request.personId);
    const role = memberRoleArgument('role', request.role);
    requireMayManage(actor, role);
    const member = await inTransaction(pool, async (client) => {
      const known = await lockMember(client, accountId, personId);
      await requireCurrentRole(client, actor, accountId);
      if (known.role === role) return known;
      requireMayManage(actor, known.role);
      if (known.role === 'owner') await requireAnotherOwner(client, accountId);
      await writeRole(client, { accountId, personId, role });
      const details = changedAttributes({ role: known.role }, { role });
      const target = { targetId: personId, targetName: known.email, details };
      await insertAudit(client, { accountId, actor, action: 'member.update', ...target });
      return { ...known, role };
    });
    return { member: toMember(member) };
  };
}

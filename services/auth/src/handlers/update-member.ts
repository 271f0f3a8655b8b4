import { MAX_TOKEN_PROJECTS } from '@tollgate/common/actors/token';
import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import { Role, type UpdateMemberRequest, type UpdateMemberResponse } from '@tollgate/proto/auth';
import { changedAttributes } from '../audit/differences.ts';
import { requireLive, requireProject } from '../nodes/require-node.ts';
import { requireCurrentRole } from '../people/current-role.ts';
import { lockMember, requireAnotherOwner } from '../people/lock-member.ts';
import { requireMayManage } from '../rules/actor-rules.ts';
import { insertAudit } from '../store/audit.ts';
import { toMember, writeRights } from '../store/memberships.ts';
import { memberRoleArgument } from './people-arguments.ts';

/** Changes the role of a member, and the projects of a developer. */
export function createUpdateMemberHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<UpdateMemberRequest, UpdateMemberResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const accountId = uuidArgument('account_id', request.accountId);
    const personId = uuidArgument('person_id', request.personId);
    const wantedRole = request.role === Role.UNSPECIFIED ? undefined : memberRoleArgument('role', request.role);
    const wanted = request.projectIds === undefined ? undefined : projectsArgument(request.projectIds.ids);
    if (wantedRole !== undefined) requireMayManage(actor, wantedRole);
    const member = await inTransaction(pool, async (client) => {
      const known = await lockMember(client, accountId, personId);
      await requireCurrentRole(client, actor, accountId);
      const role = wantedRole ?? known.role;
      if (role !== 'developer' && (wanted ?? []).length > 0)
        throw new RpcError('invalid_argument', 'project_ids: only a developer can be limited to projects');
      const before = known.project_ids ?? [];
      const projectIds = role === 'developer' ? (wanted ?? before) : [];
      if (known.role === role && before.join() === projectIds.join()) return known;
      requireMayManage(actor, known.role);
      if (known.role === 'owner') await requireAnotherOwner(client, accountId);
      for (const projectId of projectIds) requireLive(await requireProject(client, accountId, projectId));
      const kept = projectIds.length === 0 ? undefined : projectIds;
      await writeRights(client, { accountId, personId, role, projectIds: kept });
      const details = changedAttributes(
        { role: known.role, projects: before.join(', ') },
        { role, projects: projectIds.join(', ') },
      );
      const target = { targetId: personId, targetName: known.email, details };
      await insertAudit(client, { accountId, actor, action: 'member.update', ...target });
      return { ...known, role, project_ids: kept ?? null };
    });
    return { member: toMember(member) };
  };
}

/** The only projects of a developer; none: all. */
function projectsArgument(given: readonly string[]): string[] {
  if (given.length > MAX_TOKEN_PROJECTS) {
    throw new RpcError('invalid_argument', `project_ids: must be at most ${MAX_TOKEN_PROJECTS}`);
  }
  return [...new Set(given.map((id, index) => uuidArgument(`project_ids[${index}]`, id)))];
}

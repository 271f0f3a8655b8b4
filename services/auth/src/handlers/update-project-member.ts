import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { UpdateProjectMemberRequest, UpdateProjectMemberResponse } from '@tollgate/proto/auth';
import type { ChangeDependencies } from '../changes/wait-for-propagation.ts';
import { ensureMemberNode } from '../nodes/add-node.ts';
import { updateNode } from '../nodes/change-node.ts';
import { requireLive, requireProject } from '../nodes/require-node.ts';
import { findMember } from '../store/memberships.ts';
import { toProjectMember } from '../store/node-messages.ts';
import { findMemberNode, settingsIn } from '../store/nodes.ts';

/** Limits a member in a project. The change applies to requests of keys they own there that start after this has returned. */
export function createUpdateProjectMemberHandler(
  deps: ChangeDependencies,
): UnaryHandler<UpdateProjectMemberRequest, UpdateProjectMemberResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const accountId = uuidArgument('account_id', request.accountId);
    const projectId = uuidArgument('project_id', request.projectId);
    const personId = uuidArgument('person_id', request.personId);
    const member = await updateNode(
      deps,
      {
        accountId,
        actor,
        action: 'project_member.update',
        done: 'the member is changed',
        find: async (client) => {
          requireLive(await requireProject(client, accountId, projectId));
          // Somebody who has been removed from the account may still own keys.
          const known = await findMemberNode(client, { accountId, projectId, personId });
          if (known !== undefined) return known;
          const person = await findMember(client, accountId, personId);
          if (person === undefined) throw new RpcError('not_found', 'no such member');
          return ensureMemberNode(client, { accountId, projectId, personId, email: person.email }, actor);
        },
      },
      settingsIn(request.settings),
      context.signal,
    );
    return { member: toProjectMember(member, Date.now()) };
  };
}

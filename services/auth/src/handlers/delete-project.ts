import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { DeleteProjectRequest, DeleteProjectResponse } from '@tollgate/proto/auth';
import type { ChangeDependencies } from '../changes/wait-for-propagation.ts';
import { deleteNode } from '../nodes/change-node.ts';
import { requireProject } from '../nodes/require-node.ts';
import { toProject } from '../store/node-messages.ts';

/** Deletes a project, and waits until no ingress accepts a key of it. */
export function createDeleteProjectHandler(
  deps: ChangeDependencies,
): UnaryHandler<DeleteProjectRequest, DeleteProjectResponse> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const projectId = uuidArgument('project_id', request.projectId);
    const project = await deleteNode(
      deps,
      {
        accountId,
        actor: actorOf(context),
        action: 'project.delete',
        done: 'the project is deleted',
        find: (client) => requireProject(client, accountId, projectId),
      },
      context.signal,
    );
    return { project: toProject(project, Date.now()) };
  };
}

import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { UpdateProjectRequest, UpdateProjectResponse } from '@tollgate/proto/auth';
import type { ChangeDependencies } from '../changes/wait-for-propagation.ts';
import { updateNode } from '../nodes/change-node.ts';
import { requireProject } from '../nodes/require-node.ts';
import { toProject } from '../store/node-messages.ts';
import { attributesOf } from '../store/nodes.ts';

/** Changes a project. The change applies to requests of its keys that start after this has returned. */
export function createUpdateProjectHandler(
  deps: ChangeDependencies,
): UnaryHandler<UpdateProjectRequest, UpdateProjectResponse> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const projectId = uuidArgument('project_id', request.projectId);
    const project = await updateNode(
      deps,
      {
        accountId,
        actor: actorOf(context),
        action: 'project.update',
        done: 'the project is changed',
        find: (client) => requireProject(client, accountId, projectId),
      },
      attributesOf(request),
      context.signal,
    );
    return { project: toProject(project, Date.now()) };
  };
}

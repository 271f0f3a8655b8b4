import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { CreateProjectRequest, CreateProjectResponse } from '@tollgate/proto/auth';
import { createNode } from '../nodes/create-node.ts';
import { toProject } from '../store/node-messages.ts';
import { newNodeAttributes } from '../store/nodes.ts';

/** Creates a project. */
export function createCreateProjectHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<CreateProjectRequest, CreateProjectResponse> {
  return async ({ accountId, name, settings }, context) => {
    const project = await createNode(pool, {
      accountId: uuidArgument('account_id', accountId),
      actor: actorOf(context),
      action: 'project.create',
      projectId: undefined,
      attributes: newNodeAttributes(name, settings),
    });
    return { project: toProject(project, Date.now()) };
  };
}

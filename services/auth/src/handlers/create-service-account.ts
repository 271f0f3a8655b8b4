import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { CreateServiceAccountRequest, CreateServiceAccountResponse } from '@tollgate/proto/auth';
import { createNode } from '../nodes/create-node.ts';
import { toServiceAccount } from '../store/node-messages.ts';
import { newNodeAttributes } from '../store/nodes.ts';

/** Creates a service account of a project. */
export function createCreateServiceAccountHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<CreateServiceAccountRequest, CreateServiceAccountResponse> {
  return async ({ accountId, projectId, name, settings }, context) => {
    const serviceAccount = await createNode(pool, {
      accountId: uuidArgument('account_id', accountId),
      actor: actorOf(context),
      action: 'service_account.create',
      projectId: uuidArgument('project_id', projectId),
      attributes: newNodeAttributes(name, settings),
    });
    return { serviceAccount: toServiceAccount(serviceAccount, Date.now()) };
  };
}

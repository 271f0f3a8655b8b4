import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { UpdateServiceAccountRequest, UpdateServiceAccountResponse } from '@tollgate/proto/auth';
import type { ChangeDependencies } from '../changes/wait-for-propagation.ts';
import { updateNode } from '../nodes/change-node.ts';
import { requireServiceAccount } from '../nodes/require-node.ts';
import { toServiceAccount } from '../store/node-messages.ts';
import { attributesOf } from '../store/nodes.ts';

/** Changes a service account. The change applies to requests of its keys that start after this has returned. */
export function createUpdateServiceAccountHandler(
  deps: ChangeDependencies,
): UnaryHandler<UpdateServiceAccountRequest, UpdateServiceAccountResponse> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const projectId = uuidArgument('project_id', request.projectId);
    const serviceAccountId = uuidArgument('service_account_id', request.serviceAccountId);
    const serviceAccount = await updateNode(
      deps,
      {
        accountId,
        actor: actorOf(context),
        action: 'service_account.update',
        done: 'the service account is changed',
        find: (client) => requireServiceAccount(client, accountId, { serviceAccountId, projectId }),
      },
      attributesOf(request),
      context.signal,
    );
    return { serviceAccount: toServiceAccount(serviceAccount, Date.now()) };
  };
}

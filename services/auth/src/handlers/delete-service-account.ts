import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { DeleteServiceAccountRequest, DeleteServiceAccountResponse } from '@tollgate/proto/auth';
import type { ChangeDependencies } from '../changes/wait-for-propagation.ts';
import { deleteNode } from '../nodes/change-node.ts';
import { requireServiceAccount } from '../nodes/require-node.ts';
import { toServiceAccount } from '../store/node-messages.ts';

/** Deletes a service account, and waits until no ingress accepts a key of it. */
export function createDeleteServiceAccountHandler(
  deps: ChangeDependencies,
): UnaryHandler<DeleteServiceAccountRequest, DeleteServiceAccountResponse> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const projectId = uuidArgument('project_id', request.projectId);
    const serviceAccountId = uuidArgument('service_account_id', request.serviceAccountId);
    const serviceAccount = await deleteNode(
      deps,
      {
        accountId,
        actor: actorOf(context),
        action: 'service_account.delete',
        done: 'the service account is deleted',
        find: (client) => requireServiceAccount(client, accountId, { serviceAccountId, projectId }),
      },
      context.signal,
    );
    return { serviceAccount: toServiceAccount(serviceAccount, Date.now()) };
  };
}

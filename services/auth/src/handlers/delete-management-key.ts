import { RpcError } from '@tollgate/common/errors';
import { optionalUuidArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { DeleteManagementKeyRequest, DeleteManagementKeyResponse } from '@tollgate/proto/auth';
import { insertAudit } from '../store/audit.ts';
import { lockManagementKey, markManagementKeyDeleted, toManagementKey } from '../store/management-keys.ts';

/** Deletes a management key. Deleting it again returns the same. */
export function createDeleteManagementKeyHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<DeleteManagementKeyRequest, DeleteManagementKeyResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const accountId = optionalUuidArgument('account_id', request.accountId);
    const managementKeyId = uuidArgument('management_key_id', request.managementKeyId);
    const key = await inTransaction(pool, async (client) => {
      const known = await lockManagementKey(client, accountId, managementKeyId);
      if (known === undefined) throw new RpcError('not_found', 'no such management key');
      if (known.deleted_at !== null) return known;
      const target = { targetId: managementKeyId, targetName: known.name, details: {} };
      await insertAudit(client, { accountId, actor, action: 'management_key.delete', ...target });
      return markManagementKeyDeleted(client, managementKeyId);
    });
    return { key: toManagementKey(key, Date.now()) };
  };
}

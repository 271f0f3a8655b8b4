import { optionalUuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListManagementKeysRequest, ListManagementKeysResponse } from '@tollgate/proto/auth';
import { listManagementKeys, toManagementKey } from '../store/management-keys.ts';

const MAX_LISTED = 1_000;

/** Lists the management keys of an account, or of operators. */
export function createListManagementKeysHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListManagementKeysRequest, ListManagementKeysResponse> {
  return async (request) => {
    const rows = await listManagementKeys(pool, optionalUuidArgument('account_id', request.accountId), MAX_LISTED);
    const nowMs = Date.now();
    return { keys: rows.map((row) => toManagementKey(row, nowMs)) };
  };
}

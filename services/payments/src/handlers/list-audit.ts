import { RpcError } from '@tollgate/common/errors';
import { optionalTextArgument, optionalUuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListAuditRequest, ListAuditResponse } from '@tollgate/proto/audit';
import { listAudit } from '../store/audit.ts';
import { rangeArgument } from './arguments.ts';

const MAX_LIMIT = 1_000;
const MAX_NAME_LENGTH = 200;

/** A page of audit entries, newest first. */
export function createListAuditHandler({ pool }: { pool: Pool }): UnaryHandler<ListAuditRequest, ListAuditResponse> {
  return async (request) => {
    const { limit } = request;
    if (limit < 1 || limit > MAX_LIMIT) throw new RpcError('invalid_argument', `limit: must be 1 to ${MAX_LIMIT}`);
    const found = await listAudit(pool, {
      accountId: optionalUuidArgument('account_id', request.accountId),
      range: rangeArgument(request.startMs, request.endMs),
      limit: limit + 1,
      beforeId: optionalUuidArgument('before_entry_id', request.beforeEntryId),
      actorId: optionalTextArgument('actor_id', request.actorId, MAX_NAME_LENGTH),
      targetId: optionalTextArgument('target_id', request.targetId, MAX_NAME_LENGTH),
      action: optionalTextArgument('action', request.action, MAX_NAME_LENGTH),
    });
    return { entries: found.slice(0, limit), more: found.length > limit };
  };
}

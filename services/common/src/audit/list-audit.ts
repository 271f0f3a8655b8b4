import type { ListAuditRequest, ListAuditResponse } from '@tollgate/proto/audit';
import { limitArgument, optionalTextArgument, optionalUuidArgument, rangeArgument } from '../grpc/arguments.ts';
import type { UnaryHandler } from '../grpc/handler.ts';
import type { Pool } from '../postgres/pool.ts';
import { type AuditedSchema, listAudit } from './audit-log.ts';

const MAX_LIMIT = 1_000;
const MAX_NAME_LENGTH = 200;

/** A page of a service's audit entries, newest first. */
export function createListAuditHandler(
  schema: AuditedSchema,
  pool: Pool,
): UnaryHandler<ListAuditRequest, ListAuditResponse> {
  return async (request) => {
    const limit = limitArgument(request.limit, MAX_LIMIT);
    const found = await listAudit(schema, pool, {
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

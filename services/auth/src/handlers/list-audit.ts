import { RpcError } from '@tollgate/common/errors';
import { optionalUuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { AuditEntry, ListAuditRequest, ListAuditResponse } from '@tollgate/proto/audit';
import { type AuditFilter, listAudit } from '../store/audit.ts';
import { optionalTextArgument, timeArgument } from './arguments.ts';

const MAX_LIMIT = 1_000;
const ACTION = /^[a-z_]{1,50}(\.[a-z_]{1,50})?$/;

/** Lists audit entries, newest first. */
export function createListAuditHandler({ pool }: { pool: Pool }): UnaryHandler<ListAuditRequest, ListAuditResponse> {
  return async (request, context) => {
    const isOperator = actorOf(context).role === 'operator';
    const filter = filterOf(request);
    const entries = await listAudit(pool, { ...filter, limit: filter.limit + 1 });
    const page = entries.slice(0, filter.limit);
    return { entries: isOperator ? page : page.map(forAccount), more: entries.length > filter.limit };
  };
}

function filterOf(request: ListAuditRequest): AuditFilter {
  const { limit, action } = request;
  if (limit < 1 || limit > MAX_LIMIT) throw new RpcError('invalid_argument', `limit: must be 1 to ${MAX_LIMIT}`);
  if (action !== '' && !ACTION.test(action)) {
    throw new RpcError('invalid_argument', 'action: must be an action such as key.delete, or its first part');
  }
  if (request.endMs <= request.startMs) throw new RpcError('invalid_argument', 'end_ms: must be after start_ms');
  const endId = firstIdOf(timeArgument('end_ms', request.endMs));
  const before = optionalUuidArgument('before_entry_id', request.beforeEntryId);
  return {
    accountId: optionalUuidArgument('account_id', request.accountId),
    fromId: firstIdOf(timeArgument('start_ms', request.startMs)),
    beforeId: before === undefined || before > endId ? endId : before,
    actorId: optionalUuidArgument('actor_id', request.actorId),
    targetId: optionalTextArgument('target_id', request.targetId, 200),
    action,
    limit,
  };
}

/** The least UUID with a time, which no entry of an earlier time reaches. */
function firstIdOf(time: Date): string {
  const digits = time.getTime().toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}

/**
 * Why an account was suspended, and the rules of its prices, are for operators: a markup tells the list price. That prices changed is
 * no secret, since the account sees its prices.
 */
function forAccount({ details, ...entry }: AuditEntry): AuditEntry {
  const { suspension_reason: _reason, price_rules: rules, ...shown } = details;
  return { ...entry, details: rules === undefined ? shown : { ...shown, prices: 'changed' } };
}

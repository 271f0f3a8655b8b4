import type { Actor } from '@tollgate/common/actors/token';
import { CEILING_PERIODS, type CeilingPeriodLabel } from '@tollgate/common/cap-periods';
import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { newId } from '@tollgate/common/ids';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import type { AskForLimitRequest, AskForLimitResponse } from '@tollgate/proto/auth';
import { moneyText } from '../audit/attributes.ts';
import { setAttributes } from '../audit/differences.ts';
import { notifyOfRequest } from '../limit-requests/limit-events.ts';
import { capPeriodOf, capsOf, findOnPath, type LimitedNode } from '../limit-requests/limited-node.ts';
import { limitRequestFor } from '../limit-requests/scope.ts';
import { requireCurrentRole } from '../people/current-role.ts';
import { keyScopeOf } from '../rules/actor-rules.ts';
import { lockAccount } from '../store/accounts.ts';
import { insertAudit } from '../store/audit.ts';
import { withGrants } from '../store/grants.ts';
import { findKey } from '../store/key-lists.ts';
import {
  countOpenLimitRequests,
  insertLimitRequest,
  LIMIT_SCOPES,
  type LimitRequestRow,
  removeOldLimitRequests,
} from '../store/limit-requests.ts';

/** Maximum open limit requests of an account. */
const MAX_OPEN = 200;
/** Limit requests of an account that are kept. */
const MAX_KEPT = 1_000;

/** Asks for a higher limit on the path of a key. */
export function createAskForLimitHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<AskForLimitRequest, AskForLimitResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    if (actor.id === '') throw new RpcError('permission_denied', 'only somebody who gets the answer asks for limits');
    const accountId = uuidArgument('account_id', request.accountId);
    const keyId = uuidArgument('key_id', request.keyId);
    const scope = LIMIT_SCOPES.find((each) => each === request.scope);
    const period = CEILING_PERIODS.find((each) => each === request.window);
    if (scope === undefined) throw new RpcError('invalid_argument', 'scope: not known');
    if (period === undefined) throw new RpcError('invalid_argument', 'window: not known');
    if ((scope === 'session') !== (period === 'session'))
      throw new RpcError('invalid_argument', 'window: session is the one of a session');
    const row = await inTransaction(pool, async (client) => {
      if ((await lockAccount(client, accountId)) === undefined) throw new RpcError('not_found', 'no such account');
      await requireCurrentRole(client, actor, accountId);
      const key = await findKey(client, keyScopeOf(actor, accountId), keyId);
      if (key === undefined) throw new RpcError('not_found', 'no such key');
      if (key.deleted_at !== null) throw new RpcError('failed_precondition', 'the key is deleted');
      const node = await findOnPath(client, key, { scope, id: request.id });
      if (node === undefined) throw new RpcError('invalid_argument', 'id: not on the path of the key');
      if ((await countOpenLimitRequests(client, accountId)) >= MAX_OPEN)
        throw new RpcError('resource_exhausted', `an account can have at most ${MAX_OPEN} open limit requests`);
      return insert(client, actor, node, {
        account_id: accountId,
        limit_request_id: newId(),
        key_id: keyId,
        period,
        reason: request.reason.trim(),
        asked_nanos: request.amountNanos ?? null,
        limit_nanos: limitOf(node, period),
      });
    });
    return { limitRequest: limitRequestFor(actor, row) };
  };
}

/** Null: not known, as the client of a session says it. */
function limitOf({ row }: LimitedNode, period: CeilingPeriodLabel): bigint | null {
  if (row === null) return null;
  const limit = withGrants(capsOf(row), row.grants, Date.now())[capPeriodOf(period)];
  if (limit === undefined || row.deleted_at !== null) throw new RpcError('failed_precondition', 'it has no such limit');
  return limit.limitNanos;
}

type Asked = Pick<
  LimitRequestRow,
  'account_id' | 'limit_request_id' | 'key_id' | 'period' | 'reason' | 'asked_nanos' | 'limit_nanos'
>;

async function insert(
  client: PoolClient,
  actor: Actor,
  { row: _, ...node }: LimitedNode,
  asked: Asked,
): Promise<LimitRequestRow> {
  const { account_id: accountId, period, reason, asked_nanos, limit_nanos } = asked;
  const row = await insertLimitRequest(client, { ...node, ...asked, asked_by_id: actor.id, asked_by_name: actor.name });
  if (row === undefined) throw new RpcError('already_exists', 'you ask for this limit already');
  await removeOldLimitRequests(client, accountId, MAX_KEPT);
  const details = setAttributes({
    of: node.scope.replaceAll('_', ' '),
    window: period,
    limit: moneyText(limit_nanos),
    amount: moneyText(asked_nanos),
    reason,
  });
  const target = { targetId: row.limit_request_id, targetName: row.node_name };
  await insertAudit(client, { accountId, actor, action: 'limit_request.create', ...target, details });
  await notifyOfRequest(client, row);
  return row;
}

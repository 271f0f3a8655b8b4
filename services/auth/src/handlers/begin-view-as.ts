import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { BeginViewAsRequest, BeginViewAsResponse } from '@tollgate/proto/auth';
import { findAccount } from '../store/accounts.ts';
import { insertAudit } from '../store/audit.ts';

/** Records that an operator begins to view an account as its owners see it. */
export function createBeginViewAsHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<BeginViewAsRequest, BeginViewAsResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const accountId = uuidArgument('account_id', request.accountId);
    const account = await findAccount(pool, accountId);
    if (account === undefined) throw new RpcError('not_found', 'no such account');
    const target = { targetId: accountId, targetName: account.name, details: {} };
    await insertAudit(pool, { accountId, actor, action: 'account.view', ...target });
    return {};
  };
}

import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { GetAccountRequest, GetAccountResponse } from '@tollgate/proto/auth';
import { accountShownTo } from '../rules/actor-rules.ts';
import { findAccount, toAccount } from '../store/accounts.ts';

/** Returns an account. The reason of a suspension is for operators only. */
export function createGetAccountHandler({ pool }: { pool: Pool }): UnaryHandler<GetAccountRequest, GetAccountResponse> {
  return async (request, context) => {
    const row = await findAccount(pool, uuidArgument('account_id', request.accountId));
    if (row === undefined) throw new RpcError('not_found', 'no such account');
    return { account: accountShownTo(actorOf(context), toAccount(row)) };
  };
}

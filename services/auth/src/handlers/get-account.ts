import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { GetAccountRequest, GetAccountResponse } from '@tollgate/proto/auth';
import { findAccount, toAccount } from '../store/accounts.ts';

/** Returns an account. */
export function createGetAccountHandler({ pool }: { pool: Pool }): UnaryHandler<GetAccountRequest, GetAccountResponse> {
  return async (request) => {
    const account = await findAccount(pool, uuidArgument('account_id', request.accountId));
    if (account === undefined) throw new RpcError('not_found', 'no such account');
    return { account: toAccount(account) };
  };
}

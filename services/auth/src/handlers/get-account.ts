import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { GetAccountRequest, GetAccountResponse } from '@tollgate/proto/auth';
import type { Dependencies } from '../dependencies.ts';
import { findAccount, toAccount } from '../store/accounts.ts';

/** Returns an account. */
export function createGetAccountHandler({
  pool,
}: Pick<Dependencies, 'pool'>): UnaryHandler<GetAccountRequest, GetAccountResponse> {
  return async (request) => {
    const account = await findAccount(pool, uuidArgument('account_id', request.accountId));
    if (account === undefined) throw new RpcError('not_found', 'no such account');
    return { account: toAccount(account) };
  };
}

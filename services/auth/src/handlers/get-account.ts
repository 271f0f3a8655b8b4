import { RpcError } from '@tollgate/common/errors';
import type { GetAccountRequest, GetAccountResponse } from '@tollgate/proto/auth';
import type { Dependencies } from '../dependencies.ts';
import { findAccount, toAccount } from '../store/accounts.ts';
import { requireUuid } from './validate.ts';

/** One account. */
export async function getAccount(
  { pool }: Pick<Dependencies, 'pool'>,
  request: GetAccountRequest,
): Promise<GetAccountResponse> {
  const account = await findAccount(pool, requireUuid('account_id', request.accountId));
  if (account === undefined) throw new RpcError('not_found', 'no such account');
  return { account: toAccount(account) };
}

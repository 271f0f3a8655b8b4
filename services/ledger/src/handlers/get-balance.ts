import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Balance, GetBalanceRequest } from '@tollgate/proto/ledger';
import type { Dependencies } from '../dependencies.ts';
import { readBalance } from '../store/balances.ts';
import { balanceMessage } from './balance-message.ts';

/** An account's balance; zeros for an account without transactions. */
export function createGetBalanceHandler({ pool }: Dependencies): UnaryHandler<GetBalanceRequest, Balance> {
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    return balanceMessage(accountId, await readBalance(pool, accountId));
  };
}

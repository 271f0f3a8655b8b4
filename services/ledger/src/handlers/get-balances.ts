import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { GetBalancesRequest, GetBalancesResponse } from '@tollgate/proto/ledger';
import { readPlainBalances } from '../store/account-balances.ts';
import { uuidsArgument } from './arguments.ts';

const MAX_ACCOUNTS = 1_000;

/** Balances of some accounts, without unknown ones. */
export function createGetBalancesHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<GetBalancesRequest, GetBalancesResponse> {
  return async (request) => {
    const rows = await readPlainBalances(pool, uuidsArgument('account_ids', request.accountIds, 1, MAX_ACCOUNTS));
    return {
      balances: rows.map(({ account_id: accountId, balance: balanceNanos, receivable: receivableNanos }) => ({
        accountId,
        balanceNanos,
        receivableNanos,
      })),
    };
  };
}

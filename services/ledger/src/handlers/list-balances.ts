import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { AccountBalance, ListBalancesRequest, ListBalancesResponse } from '@tollgate/proto/ledger';
import { readAccountBalances } from '../store/account-balances.ts';
import { monthStart } from '../store/time.ts';
import { uuidsArgument } from './arguments.ts';
import { balanceMessage } from './get-balance.ts';

const MAX_ACCOUNTS = 1_000;

/** Balances and spending of accounts, in the order they are asked for; zeros for those without transactions. */
export function createListBalancesHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListBalancesRequest, ListBalancesResponse> {
  return async ({ accountIds, recentFromMs }) => ({
    balances: await accountBalances(
      pool,
      uuidsArgument('account_ids', accountIds, 1, MAX_ACCOUNTS),
      recentFromMs === 0n ? undefined : Number(recentFromMs),
    ),
  });
}

/** The balances of accounts, in the same order. */
export async function accountBalances(
  pool: Pool,
  accountIds: readonly string[],
  recentFromMs = Number.MAX_SAFE_INTEGER,
): Promise<AccountBalance[]> {
  const sinceMs = { charged: monthStart(Date.now()), recent: recentFromMs };
  const rows = await readAccountBalances(pool, accountIds, sinceMs);
  const byAccount = new Map(rows.map((row) => [row.accountId, row]));
  return accountIds.map((accountId) => {
    const row = byAccount.get(accountId);
    return {
      balance: balanceMessage(accountId, row),
      monthNanos: row?.charged ?? 0n,
      lossNanos: row?.loss ?? 0n,
      recentNanos: row?.recent ?? 0n,
      recentFirstMs: row?.recentFirstMs ?? 0n,
    };
  });
}

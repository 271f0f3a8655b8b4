import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import { formatDollars } from '@tollgate/common/money';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { AccountBalance, LedgerServiceClient } from '@tollgate/proto/ledger';
import type { Handler } from '../../http/handler.ts';
import { renderAccount } from '../../render/account.ts';
import { textOrNull } from '../../render/time.ts';
import { forecast, forecastStart } from '../../usage/forecast.ts';

/** Accounts with their balance and spending, in order of creation. */
export function createListAccountsHandler({
  auth,
  ledger,
}: {
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
}): Handler<'GET /operator/accounts'> {
  return async ({ query, rpc }) => {
    const options = await rpc();
    const request = { pageSize: query.limit, pageToken: query.cursor ?? '', text: query.q, accountIds: [] };
    const { accounts, nextPageToken } = await unaryCall(auth.listAccounts.bind(auth), request, options);
    const nowMs = Date.now();
    const balances = await readBalances(
      ledger,
      accounts.map(({ accountId }) => accountId),
      { recentFromMs: BigInt(forecastStart(nowMs)), options },
    );
    return {
      data: accounts.map((account) => ({
        ...renderAccount(account),
        ...renderMoney(balances.get(account.accountId), nowMs),
      })),
      next_cursor: textOrNull(nextPageToken),
    };
  };
}

async function readBalances(
  ledger: LedgerServiceClient,
  accountIds: string[],
  { recentFromMs, options }: { recentFromMs: bigint; options: UnaryCallOptions },
): Promise<ReadonlyMap<string, AccountBalance>> {
  if (accountIds.length === 0) return new Map();
  const { balances } = await unaryCall(ledger.listBalances.bind(ledger), { accountIds, recentFromMs }, options);
  return new Map(balances.map((balance) => [balance.balance?.accountId ?? '', balance]));
}

/** @param money undefined for an account that never had any */
function renderMoney(money: AccountBalance | undefined, nowMs: number) {
  return {
    available: formatDollars(money?.balance?.availableNanos ?? 0n),
    held: formatDollars(money?.balance?.heldNanos ?? 0n),
    owed: formatDollars(money?.balance?.receivableNanos ?? 0n),
    spent_this_month: formatDollars(money?.monthNanos ?? 0n),
    runs_out_at: runsOutAt(money, nowMs),
    loss: formatDollars(money?.lossNanos ?? 0n),
  };
}

/** As the forecast of the account's overview. */
function runsOutAt(money: AccountBalance | undefined, nowMs: number): string | null {
  if (money === undefined) return null;
  const { recentFirstMs, recentNanos, balance } = money;
  const days = [{ startMs: Number(recentFirstMs), nanos: recentNanos }];
  const atMs = forecast(days, balance?.availableNanos ?? 0n, nowMs)?.runsOutAtMs;
  return atMs === undefined ? null : new Date(atMs).toISOString();
}

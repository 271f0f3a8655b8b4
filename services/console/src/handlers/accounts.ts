import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { Account } from '@tollgate/proto/auth';
import type { AccountWithMoney } from '@tollgate/proto/console/accounts';
import type { AccountBalance, LedgerServiceClient } from '@tollgate/proto/ledger';
import type { Dependencies } from '../dependencies.ts';
import { apiErrors } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';
import { MAX_DAYS, readRange, readUsageRange } from '../paging/time-range.ts';
import { required } from '../required.ts';
import { forecast, forecastStart } from '../usage/forecast.ts';
import { showRow } from '../usage/sums.ts';

const GROUPS = ['model', 'key', 'project', 'owner'] as const;

/** Handlers of accounts, their money and their usage. */
export function accountHandlers({ auth, ledger }: Dependencies) {
  return {
    listAccounts: async ({ limit, cursor, q }, { rpc }) => {
      const options = await rpc();
      const request = { pageSize: limit, pageToken: cursor, text: q, accountIds: [] };
      const { accounts, nextPageToken } = await unaryCall(auth.listAccounts.bind(auth), request, options);
      const nowMs = Date.now();
      const ids = accounts.map(({ accountId }) => accountId);
      const balances = await readBalances(ledger, ids, { recentFromMs: BigInt(forecastStart(nowMs)), options });
      return {
        data: accounts.map((account) => withMoney(account, balances.get(account.accountId), nowMs)),
        nextCursor: nextPageToken,
      };
    },

    getUsage: async ({ accountId, range: given, interval, groupBy, keyId, projectId, ownerId }, { rpc }) => {
      const groups = readGroups(groupBy);
      const range = readUsageRange(given, interval);
      const request = {
        accountId,
        ...range,
        interval,
        groupByModel: groups.has('model'),
        groupByKey: groups.has('key'),
        groupByProject: groups.has('project'),
        groupByOwner: groups.has('owner'),
        keyIds: keyId === '' ? [] : [keyId],
        projectIds: projectId === undefined ? [] : [projectId],
        ownerIds: ownerId === undefined ? [] : [ownerId],
      };
      const { rows } = await unaryCall(ledger.getUsage.bind(ledger), request, await rpc());
      return { range, data: rows.map(showRow) };
    },

    listDeposits: async ({ accountId, range, page }, { rpc }) => {
      const request = { accountId, ...readRange(required(range), MAX_DAYS.others), ...required(page) };
      const { deposits, nextCursor } = await unaryCall(ledger.listDeposits.bind(ledger), request, await rpc());
      return { data: deposits, nextCursor };
    },

    createDeposit: async (request, { rpc }) => {
      const { accountId } = request;
      const options = await rpc();
      // The ledger knows accounts by their money only: it would credit one that does not exist.
      await unaryCall(auth.getAccount.bind(auth), { accountId }, options);
      const { deposit, repeated, balance } = await unaryCall(ledger.deposit.bind(ledger), request, options);
      return { depositId: required(deposit).depositId, repeated, balance };
    },
  } satisfies Partial<Handlers>;
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
function withMoney(account: Account, money: AccountBalance | undefined, nowMs: number): AccountWithMoney {
  return {
    account,
    availableNanos: money?.balance?.availableNanos ?? 0n,
    heldNanos: money?.balance?.heldNanos ?? 0n,
    owedNanos: money?.balance?.receivableNanos ?? 0n,
    spentThisMonthNanos: money?.monthNanos ?? 0n,
    runsOutAtMs: runsOutAt(money, nowMs),
    lossNanos: money?.lossNanos ?? 0n,
  };
}

/** As the forecast of the account's overview. */
function runsOutAt(money: AccountBalance | undefined, nowMs: number): bigint | undefined {
  if (money === undefined) return undefined;
  const { recentFirstMs, recentNanos, balance } = money;
  const days = [{ startMs: Number(recentFirstMs), nanos: recentNanos }];
  const atMs = forecast(days, balance?.availableNanos ?? 0n, nowMs)?.runsOutAtMs;
  return atMs === undefined ? undefined : BigInt(atMs);
}

function readGroups(groupBy: string): ReadonlySet<(typeof GROUPS)[number]> {
  const names = groupBy === '' ? [] : groupBy.split(',');
  return new Set(
    names.map((name) => {
      const known = GROUPS.find((group) => group === name.trim());
      if (known === undefined) throw apiErrors.invalid('group_by', `must be comma-separated: ${GROUPS.join(', ')}`);
      return known;
    }),
  );
}

import { unaryCall } from '@tollgate/common/grpc/client';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';

const DEADLINE_MS = 5_000;

/** What an account has, held credit included, and owes. */
export interface LedgerBalance {
  balanceNanos: bigint;
  owedNanos: bigint;
}

/** Asks the ledger for balances, by account; those that it does not know have nothing. */
export type ReadBalances = (accountIds: readonly string[]) => Promise<Map<string, LedgerBalance>>;

/** Accounts of one call. */
export const MAX_BALANCES = 1_000;

export function readBalancesOf(ledger: LedgerServiceClient): ReadBalances {
  return async (accountIds) => {
    const request = { accountIds: [...accountIds] };
    const { balances } = await unaryCall(ledger.getBalances.bind(ledger), request, { deadlineMs: DEADLINE_MS });
    const known = new Map(balances.map((each) => [each.accountId, each]));
    return new Map(
      accountIds.map((accountId) => {
        const found = known.get(accountId);
        return [accountId, { balanceNanos: found?.balanceNanos ?? 0n, owedNanos: found?.receivableNanos ?? 0n }];
      }),
    );
  };
}

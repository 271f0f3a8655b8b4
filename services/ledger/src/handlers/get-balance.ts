import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import { minBigInt } from '@tollgate/common/money';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { Balance, GetBalanceRequest } from '@tollgate/proto/ledger';
import { type BalanceView, readBalance } from '../store/balances.ts';

/** An account's balance; zeros for an account without transactions. */
export function createGetBalanceHandler({ pool }: { pool: Pool }): UnaryHandler<GetBalanceRequest, Balance> {
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    return balanceMessage(accountId, await readBalance(pool, accountId));
  };
}

/** The message of a balance. The held amount is at most the leased one. */
export function balanceMessage(accountId: string, row: BalanceView | undefined): Balance {
  const balanceNanos = row === undefined ? 0n : row.available + row.leased;
  const heldNanos = row === undefined ? 0n : minBigInt(row.held, row.leased);
  return {
    accountId,
    balanceNanos,
    heldNanos,
    availableNanos: balanceNanos - heldNanos,
    receivableNanos: row?.receivable ?? 0n,
    suspended: (row?.receivable ?? 0n) > 0n,
  };
}

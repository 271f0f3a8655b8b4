import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import { minBigInt } from '@tollgate/common/money';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { Balance, GetBalanceRequest, Lot as LotMessage } from '@tollgate/proto/ledger';
import type { Lot } from '../lots/lot.ts';
import { type BalanceView, readBalance } from '../store/balances.ts';
import { lotKindOf, readLots } from '../store/lots.ts';

/** An account's balance; zeros for an account without transactions. */
export function createGetBalanceHandler({ pool }: { pool: Pool }): UnaryHandler<GetBalanceRequest, Balance> {
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    return readBalanceMessage(pool, accountId);
  };
}

/** Lots of a message. */
const MAX_LOTS = 100;

/** An account's balance with its lots. They sum to it also if it changes while it is read. */
export async function readBalanceMessage(pool: Pool, accountId: string): Promise<Balance> {
  const { heldNanos: held, ...rest } = balanceMessage(accountId, await readBalance(pool, accountId));
  const book = await readLots(pool, accountId);
  const balanceNanos = book.remaining();
  const heldNanos = minBigInt(held, balanceNanos);
  const lots = book.lots.filter(({ remaining }) => remaining > 0n).slice(0, MAX_LOTS);
  return { ...rest, balanceNanos, heldNanos, availableNanos: balanceNanos - heldNanos, lots: lots.map(lotMessage) };
}

function lotMessage({ lotId, kind, remaining, amount, createdAtMs, endsAtMs, priority }: Lot): LotMessage {
  return {
    lotId,
    kind: lotKindOf(kind),
    remainingNanos: remaining,
    amountNanos: amount,
    createdAtMs,
    endsAtMs: endsAtMs ?? 0n,
    priority,
  };
}

/** The message of a balance, without lots. The held amount is at most the leased one. */
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
    lots: [],
  };
}

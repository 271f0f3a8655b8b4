import { renderBalance } from '@tollgate/common/billing/balance';
import { unaryCall } from '@tollgate/common/grpc/client';
import { minBigInt } from '@tollgate/common/money';
import type { Balance, LedgerServiceClient } from '@tollgate/proto/ledger';
import { keyOf, type TollgateRequest, type TollgateResponse } from '../../shared/request/request-context.ts';
import { sendJson } from '../../shared/request/response.ts';
import type { CreditManager } from '../../wallet/index.ts';
import { callLedger, LEDGER_DEADLINE_MS } from './call-ledger.ts';
import { rejectUnknownParameters } from './query.ts';

/** GET /v1/billing/balance: the account's balance, what open requests hold of it, and what is left. */
export function createBillingBalanceHandler({
  ledger,
  credit,
}: {
  ledger: LedgerServiceClient;
  credit: CreditManager;
}) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    rejectUnknownParameters(req.query, []);
    const { accountId } = keyOf(res.locals.context);
    const call = unaryCall(ledger.getBalance.bind(ledger), { accountId }, { deadlineMs: LEDGER_DEADLINE_MS });
    const balance = await callLedger('balance', call);
    sendJson(res, renderBalance(withHeldHere(balance, credit.heldNanos(accountId))));
  };
}

/** The ledger learns of holds seconds later, so what this ingress holds is at least held. */
function withHeldHere(balance: Balance, heldHere: bigint): Balance {
  if (heldHere <= balance.heldNanos) return balance;
  const heldNanos = minBigInt(heldHere, balance.balanceNanos);
  return { ...balance, heldNanos, availableNanos: balance.balanceNanos - heldNanos };
}

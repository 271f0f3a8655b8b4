import { renderBalance } from '@tollgate/common/billing/balance';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import { callLedger, LEDGER_DEADLINE_MS } from '../billing/call-ledger.ts';
import { rejectUnknownParameters } from '../billing/query.ts';
import { keyOf, type TollgateRequest, type TollgateResponse } from '../http/request-context.ts';
import { sendJson } from '../http/response.ts';

/** GET /v1/billing/balance: the account's balance, what open requests hold of it, and what is left. */
export function createBillingBalanceHandler({ ledger }: { ledger: LedgerServiceClient }) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    rejectUnknownParameters(req.query, []);
    const { accountId } = keyOf(res.locals.context);
    const call = unaryCall(ledger.getBalance.bind(ledger), { accountId }, { deadlineMs: LEDGER_DEADLINE_MS });
    sendJson(res, renderBalance(await callLedger('balance', call)));
  };
}

import { DEPOSIT_KINDS } from '@tollgate/common/billing/deposit';
import { readAmount } from '@tollgate/common/descriptors/read-json';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { Handler } from '../../http/handler.ts';
import { renderBalance } from '../../render/balance.ts';
import { required } from '../../required.ts';

/** Credits or debits an account by hand. */
export function createCreateDepositHandler({
  auth,
  ledger,
}: {
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
}): Handler<'POST /accounts/{account_id}/deposits'> {
  return async ({ path, body, rpc }) => {
    const accountId = path.account_id;
    const amountNanos = readAmount(body.amount, 'amount');
    const options = await rpc();
    // The ledger knows accounts by their money only: it would credit one that does not exist.
    await unaryCall(auth.getAccount.bind(auth), { accountId }, options);
    const request = {
      accountId,
      kind: DEPOSIT_KINDS[body.kind],
      amountNanos,
      idempotencyKey: body.idempotency_key,
      reason: body.reason,
      refuseShortfall: body.refuse_shortfall,
    };
    const response = await unaryCall(ledger.deposit.bind(ledger), request, options);
    return {
      deposit_id: required(response.deposit).depositId,
      repeated: response.repeated,
      balance: renderBalance(required(response.balance)),
    };
  };
}

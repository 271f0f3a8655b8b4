import { unaryCall } from '@tollgate/common/grpc/client';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { Handler } from '../../http/handler.ts';
import { renderBalance } from '../../render/balance.ts';

export function createGetBalanceHandler({
  ledger,
}: {
  ledger: LedgerServiceClient;
}): Handler<'GET /accounts/{account_id}/balance'> {
  return async ({ path, rpc }) => {
    const request = { accountId: path.account_id };
    return renderBalance(await unaryCall(ledger.getBalance.bind(ledger), request, await rpc()));
  };
}

import { readAmount } from '@tollgate/common/descriptors/read-json';
import { unaryCall } from '@tollgate/common/grpc/client';
import { formatDollars } from '@tollgate/common/money';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { Handler } from '../../http/handler.ts';

/** Sets low-balance thresholds; null restores the operator's defaults. */
export function createSetAlertsHandler({
  ledger,
}: {
  ledger: LedgerServiceClient;
}): Handler<'PUT /accounts/{account_id}/alerts'> {
  return async ({ path, body, rpc }) => {
    const request = {
      accountId: path.account_id,
      thresholdsNanos: (body.thresholds ?? []).map((text, index) => readAmount(text, `thresholds[${index}]`)),
      useDefaults: body.thresholds === null,
    };
    const set = await unaryCall(ledger.setThresholds.bind(ledger), request, await rpc());
    return { thresholds: set.thresholdsNanos.map(formatDollars), own: set.own };
  };
}

import { renderCharge } from '@tollgate/common/billing/charge';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import {
  keyOf,
  pathParameter,
  type TollgateRequest,
  type TollgateResponse,
} from '../../shared/request/request-context.ts';
import { sendJson } from '../../shared/request/response.ts';
import { callLedger, LEDGER_DEADLINE_MS } from './call-ledger.ts';
import type { PendingChargeLookups } from './pending-charges.ts';
import { parseUuid, rejectUnknownParameters } from './query.ts';

/** GET /v1/billing/requests/{request_id}: one record. Waits for the charge of a recent request, which may be pending. */
export function createBillingRequestHandler({
  ledger,
  pendingCharges,
}: {
  ledger: LedgerServiceClient;
  pendingCharges: PendingChargeLookups;
}) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    rejectUnknownParameters(req.query, []);
    const { accountId, keyId } = keyOf(res.locals.context);
    const requestId = parseUuid(pathParameter(req, 'request_id'), 'request_id');
    const charge = await pendingCharges.run(keyId, pendingCharges.waitMs(requestId, Date.now()), (waitMs) =>
      callLedger(
        'record',
        unaryCall(
          ledger.getCharge.bind(ledger),
          { accountId, by: { $case: 'requestId', value: requestId }, waitMs },
          { deadlineMs: LEDGER_DEADLINE_MS },
        ),
      ),
    );
    sendJson(res, renderCharge(charge));
  };
}

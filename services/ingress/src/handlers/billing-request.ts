import { renderCharge } from '@tollgate/common/billing/charge';
import { unaryCall } from '@tollgate/common/grpc/client';
import { LOOKUP_DEADLINE_MS, lookup } from '../billing/ledger-lookup.ts';
import { onlyParameters, uuid } from '../billing/query.ts';
import type { Dependencies } from '../dependencies.ts';
import { keyOf, pathParameter, type TollgateRequest, type TollgateResponse } from '../http/request-context.ts';
import { sendJson } from '../http/send-json.ts';

/** GET /v1/billing/requests/{request_id}: one record. A young one is waited for, since its charge may be under way. */
export function billingRequest({ ledger, youngCharges }: Dependencies) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    onlyParameters(req.query, []);
    const { accountId, keyId } = keyOf(res.locals.context);
    const requestId = uuid(pathParameter(req, 'request_id'), 'request_id');
    const charge = await youngCharges.run(keyId, youngCharges.waitFor(requestId, Date.now()), (waitMs) =>
      lookup(
        'record',
        unaryCall(
          ledger.getCharge.bind(ledger),
          { accountId, by: { $case: 'requestId', value: requestId }, waitMs },
          { deadlineMs: LOOKUP_DEADLINE_MS },
        ),
      ),
    );
    sendJson(res, renderCharge(charge));
  };
}

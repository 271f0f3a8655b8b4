import { unaryCall } from '@tollgate/common/grpc/client';
import { ChargeStatus } from '@tollgate/proto/ledger';
import { LOOKUP_DEADLINE_MS, lookup } from '../billing/ledger-lookup.ts';
import { oneOf, SHORT_RANGE_DAYS, single, timeRange, uuid, wholeNumber } from '../billing/query.ts';
import { CHARGE_STATUS_NAMES, chargeStatusOf, renderCharge } from '../billing/render.ts';
import type { Dependencies } from '../dependencies.ts';
import { keyOf, type TollgateRequest, type TollgateResponse } from '../http/request-context.ts';
import { sendJson } from '../http/send-json.ts';

/** GET /v1/billing/requests: the records of a time range, newest first, or the one with a trace id. */
export function billingRequests({ ledger }: Dependencies) {
  const byTrace = async (accountId: string, traceId: string) => {
    const request = { accountId, by: { $case: 'traceId' as const, value: traceId.replaceAll('-', '') }, waitMs: 0 };
    return lookup('record', unaryCall(ledger.getCharge.bind(ledger), request, { deadlineMs: LOOKUP_DEADLINE_MS }));
  };
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    const { accountId } = keyOf(res.locals.context);
    const traceId = single(req.query, 'trace_id');
    if (traceId !== undefined) {
      const charge = await byTrace(accountId, uuid(traceId, 'trace_id'));
      sendJson(res, { data: [renderCharge(charge)], next_cursor: null });
      return;
    }
    const range = timeRange(req.query, SHORT_RANGE_DAYS);
    const status = oneOf(req.query, 'status', CHARGE_STATUS_NAMES);
    const keyId = single(req.query, 'key_id');
    const page = await lookup(
      'record',
      unaryCall(
        ledger.listCharges.bind(ledger),
        {
          accountId,
          ...range,
          limit: wholeNumber(req.query, 'limit', 1, 1_000, 100),
          cursor: single(req.query, 'cursor') ?? '',
          model: single(req.query, 'model') ?? '',
          keyId: keyId === undefined ? '' : uuid(keyId, 'key_id'),
          status: status === undefined ? ChargeStatus.UNSPECIFIED : chargeStatusOf(status),
        },
        { deadlineMs: LOOKUP_DEADLINE_MS },
      ),
    );
    sendJson(res, {
      data: page.charges.map(renderCharge),
      next_cursor: page.nextCursor === '' ? null : page.nextCursor,
    });
  };
}

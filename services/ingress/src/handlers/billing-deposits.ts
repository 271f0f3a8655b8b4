import { unaryCall } from '@tollgate/common/grpc/client';
import { LOOKUP_DEADLINE_MS, lookup } from '../billing/ledger-lookup.ts';
import { LONG_RANGE_DAYS, single, timeRange, wholeNumber } from '../billing/query.ts';
import { renderDeposit } from '../billing/render.ts';
import type { Dependencies } from '../dependencies.ts';
import { keyOf, type TollgateRequest, type TollgateResponse } from '../http/request-context.ts';
import { sendJson } from '../http/send-json.ts';

/** GET /v1/billing/deposits: top-ups and adjustments of a time range, newest first. */
export function billingDeposits({ ledger }: Dependencies) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    const { accountId } = keyOf(res.locals.context);
    const page = await lookup(
      'deposit',
      unaryCall(
        ledger.listDeposits.bind(ledger),
        {
          accountId,
          ...timeRange(req.query, LONG_RANGE_DAYS),
          limit: wholeNumber(req.query, 'limit', 1, 1_000, 100),
          cursor: single(req.query, 'cursor') ?? '',
        },
        { deadlineMs: LOOKUP_DEADLINE_MS },
      ),
    );
    sendJson(res, {
      data: page.deposits.map(renderDeposit),
      next_cursor: page.nextCursor === '' ? null : page.nextCursor,
    });
  };
}

import { renderDeposit } from '@tollgate/common/billing/deposit';
import { unaryCall } from '@tollgate/common/grpc/client';
import { LOOKUP_DEADLINE_MS, lookup } from '../billing/ledger-lookup.ts';
import { pageOf } from '../billing/paging.ts';
import { onlyParameters } from '../billing/query.ts';
import { RANGES, timeRange } from '../billing/time-range.ts';
import type { Dependencies } from '../dependencies.ts';
import { keyOf, type TollgateRequest, type TollgateResponse } from '../http/request-context.ts';
import { sendJson } from '../http/send-json.ts';

/** GET /v1/billing/deposits: top-ups and adjustments of a time range, newest first. */
export function billingDeposits({ ledger }: Dependencies) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    onlyParameters(req.query, ['start', 'end', 'limit', 'cursor']);
    const { accountId } = keyOf(res.locals.context);
    const range = timeRange(req.query, RANGES.deposits);
    const { limit, cursor, next } = pageOf(req.query, ['deposits', accountId]);
    const page = await lookup(
      'deposit',
      unaryCall(
        ledger.listDeposits.bind(ledger),
        { accountId, ...range, limit, cursor },
        { deadlineMs: LOOKUP_DEADLINE_MS },
      ),
    );
    sendJson(res, { data: page.deposits.map(renderDeposit), next_cursor: next(page.nextCursor) });
  };
}

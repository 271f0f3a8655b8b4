import { renderDeposit } from '@tollgate/common/billing/deposit';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import { keyOf, type TollgateRequest, type TollgateResponse } from '../../shared/request/request-context.ts';
import { sendJson } from '../../shared/request/response.ts';
import { callLedger, LEDGER_DEADLINE_MS } from './call-ledger.ts';
import { parsePage } from './paging.ts';
import { rejectUnknownParameters } from './query.ts';
import { parseTimeRange, RANGES } from './time-range.ts';

/** GET /v1/billing/deposits: top-ups and adjustments of a time range, newest first. */
export function createBillingDepositsHandler({ ledger }: { ledger: LedgerServiceClient }) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    rejectUnknownParameters(req.query, ['start', 'end', 'limit', 'cursor']);
    const { accountId } = keyOf(res.locals.context);
    const range = parseTimeRange(req.query, RANGES.deposits);
    const { limit, cursor, nextCursor } = parsePage(req.query, ['deposits', accountId]);
    const page = await callLedger(
      'deposit',
      unaryCall(
        ledger.listDeposits.bind(ledger),
        { accountId, ...range, limit, cursor },
        { deadlineMs: LEDGER_DEADLINE_MS },
      ),
    );
    sendJson(res, { data: page.deposits.map(renderDeposit), next_cursor: nextCursor(page.nextCursor) });
  };
}

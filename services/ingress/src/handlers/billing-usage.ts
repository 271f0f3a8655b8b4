import { unaryCall } from '@tollgate/common/grpc/client';
import { UsageInterval } from '@tollgate/proto/ledger';
import { callLedger, LEDGER_DEADLINE_MS } from '../billing/call-ledger.ts';
import { commaSeparated, optionalOneOf, rejectUnknownParameters } from '../billing/query.ts';
import { renderUsageRow } from '../billing/render.ts';
import { parseTimeRange, RANGES } from '../billing/time-range.ts';
import type { Dependencies } from '../dependencies.ts';
import { keyOf, type TollgateRequest, type TollgateResponse } from '../http/request-context.ts';
import { sendJson } from '../http/response.ts';

const INTERVALS = { hour: UsageInterval.HOUR, day: UsageInterval.DAY, month: UsageInterval.MONTH } as const;

/** GET /v1/billing/usage: sums per interval and group. */
export function createBillingUsageHandler({ ledger }: Dependencies) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    rejectUnknownParameters(req.query, ['start', 'end', 'interval', 'group_by']);
    const { accountId } = keyOf(res.locals.context);
    const interval = optionalOneOf(req.query, 'interval', ['hour', 'day', 'month']) ?? 'day';
    const range = parseTimeRange(req.query, interval === 'hour' ? RANGES.hourlySums : RANGES.sums);
    const groups = commaSeparated(req.query, 'group_by', ['model', 'key']);
    const groupByModel = groups.has('model');
    const groupByKey = groups.has('key');
    const usage = await callLedger(
      'usage',
      unaryCall(
        ledger.getUsage.bind(ledger),
        { accountId, ...range, interval: INTERVALS[interval], groupByModel, groupByKey },
        { deadlineMs: LEDGER_DEADLINE_MS },
      ),
    );
    sendJson(res, { data: usage.rows.map((row) => renderUsageRow(row, groupByModel, groupByKey)), next_cursor: null });
  };
}

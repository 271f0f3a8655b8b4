import { unaryCall } from '@tollgate/common/grpc/client';
import { UsageInterval } from '@tollgate/proto/ledger';
import { LOOKUP_DEADLINE_MS, lookup } from '../billing/ledger-lookup.ts';
import { LONG_RANGE_DAYS, oneOf, SHORT_RANGE_DAYS, someOf, timeRange } from '../billing/query.ts';
import { renderUsageRow } from '../billing/render.ts';
import type { Dependencies } from '../dependencies.ts';
import { keyOf, type TollgateRequest, type TollgateResponse } from '../http/request-context.ts';
import { sendJson } from '../http/send-json.ts';

const INTERVALS = { hour: UsageInterval.HOUR, day: UsageInterval.DAY, month: UsageInterval.MONTH } as const;

/** GET /v1/billing/usage: sums per interval and group. */
export function billingUsage({ ledger }: Dependencies) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    const { accountId } = keyOf(res.locals.context);
    const interval = oneOf(req.query, 'interval', ['hour', 'day', 'month']) ?? 'day';
    const range = timeRange(req.query, interval === 'hour' ? SHORT_RANGE_DAYS : LONG_RANGE_DAYS);
    const groups = someOf(req.query, 'group_by', ['model', 'key']);
    const groupByModel = groups.has('model');
    const groupByKey = groups.has('key');
    const usage = await lookup(
      'usage',
      unaryCall(
        ledger.getUsage.bind(ledger),
        { accountId, ...range, interval: INTERVALS[interval], groupByModel, groupByKey },
        { deadlineMs: LOOKUP_DEADLINE_MS },
      ),
    );
    sendJson(res, { data: usage.rows.map((row) => renderUsageRow(row, groupByModel, groupByKey)), next_cursor: null });
  };
}

import { unaryCall } from '@tollgate/common/grpc/client';
import { CURRENCY, formatDollars } from '@tollgate/common/money';
import { GetUsageRequest, type LedgerServiceClient, UsageInterval, type UsageRow } from '@tollgate/proto/ledger';
import { isDerived } from '../../shared/limits/ceilings.ts';
import { keyOf, type TollgateRequest, type TollgateResponse } from '../../shared/request/request-context.ts';
import { sendJson } from '../../shared/request/response.ts';
import { callLedger, LEDGER_DEADLINE_MS } from './ledger-calls.ts';
import { commaSeparated, optionalOneOf, rejectUnknownParameters } from './query.ts';
import { parseTimeRange, RANGES } from './time-range.ts';

const INTERVALS = { hour: UsageInterval.HOUR, day: UsageInterval.DAY, month: UsageInterval.MONTH } as const;

/** GET /v1/billing/usage: sums per interval and group, of the account; of itself for a derived key. */
export function createBillingUsageHandler({ ledger }: { ledger: LedgerServiceClient }) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    rejectUnknownParameters(req.query, ['start', 'end', 'interval', 'group_by']);
    const key = keyOf(res.locals.context);
    const { accountId } = key;
    const keyIds = isDerived(key) ? [key.keyId] : [];
    const interval = optionalOneOf(req.query, 'interval', ['hour', 'day', 'month']) ?? 'day';
    const range = parseTimeRange(req.query, interval === 'hour' ? RANGES.hourlySums : RANGES.sums);
    const groups = commaSeparated(req.query, 'group_by', ['model', 'key']);
    const groupByModel = groups.has('model');
    const groupByKey = groups.has('key');
    const usage = await callLedger(
      'usage',
      unaryCall(
        ledger.getUsage.bind(ledger),
        GetUsageRequest.fromPartial({
          accountId,
          ...range,
          interval: INTERVALS[interval],
          groupByModel,
          groupByKey,
          keyIds,
        }),
        { deadlineMs: LEDGER_DEADLINE_MS },
      ),
    );
    sendJson(res, { data: usage.rows.map((row) => renderUsageRow(row, groupByModel, groupByKey)), next_cursor: null });
  };
}

/** Usage and cost of one interval and group. */
function renderUsageRow(row: UsageRow, byModel: boolean, byKey: boolean): object {
  return {
    start: new Date(Number(row.startMs)).toISOString(),
    ...(byModel ? { model: row.model } : {}),
    ...(byKey ? { key_id: row.keyId } : {}),
    requests: Number(row.requests),
    usage: Object.fromEntries(row.usage.map((bucket) => [bucket.bucket, Number(bucket.quantity)])),
    cost: formatDollars(row.costNanos),
    currency: CURRENCY,
  };
}

import { RpcError } from '@tollgate/common/errors';
import { rangeArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import { type GetUsageRequest, type GetUsageResponse, UsageInterval, type UsageRow } from '@tollgate/proto/ledger';
import { type IntervalName, readUsage, USAGE_BUCKETS, type UsageSumRow } from '../store/usage.ts';
import { uuidsArgument } from './arguments.ts';
import { keysInScope } from './key-scope.ts';

/** Maximum rows of a response, which keeps it below the size limit of a message. */
const MAX_ROWS = 20_000;
const MAX_KEYS = 1_000;

/** Sums by interval and group; for a developer, of their keys. cost_nanos is what the customer paid. */
export function createGetUsageHandler({ pool }: { pool: Pool }): UnaryHandler<GetUsageRequest, GetUsageResponse> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const range = rangeArgument(request.startMs, request.endMs);
    const interval = intervalOf(request.interval);
    const { groupByModel: byModel, groupByKey: byKey, totals = false } = request;
    const asked = uuidsArgument('key_ids', request.keyIds, 0, MAX_KEYS);
    const keyIds = keysInScope(context, asked.length === 0 ? undefined : asked);
    if (keyIds?.length === 0) return { rows: [] };
    const query = { accountId, range, interval, byModel, byKey, totals, keyIds, limit: MAX_ROWS + 1 };
    const rows = await readUsage(pool, query);
    if (rows.length > MAX_ROWS) {
      throw new RpcError(
        'invalid_argument',
        `the range has more than ${MAX_ROWS} rows: use a shorter range or fewer groups`,
      );
    }
    return { rows: rows.map(usageRow) };
  };
}

/** The wire form of sums. */
export function usageRow(row: UsageSumRow): UsageRow {
  const usage = USAGE_BUCKETS.map((bucket, index) => ({ bucket, quantity: row.quantities[index] ?? 0n }));
  return {
    startMs: row.start_ms,
    model: row.model,
    keyId: row.key_id,
    requests: row.requests,
    costNanos: row.charged_nanos,
    usage: usage.filter(({ quantity }) => quantity > 0n),
  };
}

function intervalOf(interval: UsageInterval): IntervalName {
  switch (interval) {
    case UsageInterval.UNSPECIFIED:
      throw new RpcError('invalid_argument', 'interval: required');
    case UsageInterval.HOUR:
      return 'hour';
    case UsageInterval.DAY:
      return 'day';
    case UsageInterval.MONTH:
      return 'month';
    default:
      return interval satisfies never;
  }
}

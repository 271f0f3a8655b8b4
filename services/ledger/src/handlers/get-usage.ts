import { RpcError } from '@tollgate/common/errors';
import { rangeArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import { type GetUsageRequest, type GetUsageResponse, UsageInterval, type UsageRow } from '@tollgate/proto/ledger';
import { type IntervalName, readUsage, USAGE_BUCKETS, type UsageSumRow } from '../store/usage.ts';
import { uuidsArgument } from './arguments.ts';
import { filterIn, isNothing } from './key-scope.ts';

/** Maximum rows of a response, which keeps it below the size limit of a message. */
const MAX_ROWS = 20_000;
/** Maximum keys, projects and owners of a filter. */
const MAX_IDS = 1_000;

/** Sums by interval and group; for a developer, of their keys and what is below them. cost_nanos is what the customer paid. */
export function createGetUsageHandler({ pool }: { pool: Pool }): UnaryHandler<GetUsageRequest, GetUsageResponse> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const range = rangeArgument(request.startMs, request.endMs);
    const interval = intervalOf(request.interval);
    const { groupByModel: byModel, groupByKey: byKey, totals = false } = request;
    const { groupByProject: byProject, groupByOwner: byOwner } = request;
    const filter = filterIn(context, {
      keyIds: idsArgument('key_ids', request.keyIds),
      projectIds: idsArgument('project_ids', request.projectIds),
      ownerIds: idsArgument('owner_ids', request.ownerIds),
    });
    if (isNothing(filter)) return { rows: [] };
    const groups = { byModel, byKey, byProject, byOwner };
    const rows = await readUsage(pool, { accountId, range, interval, ...groups, totals, filter, limit: MAX_ROWS + 1 });
    if (rows.length > MAX_ROWS) {
      throw new RpcError(
        'invalid_argument',
        `the range has more than ${MAX_ROWS} rows: use a shorter range or fewer groups`,
      );
    }
    return { rows: rows.map(usageRow) };
  };
}

/** The ids of a filter; undefined: all. */
function idsArgument(name: string, values: readonly string[]): readonly string[] | undefined {
  return values.length === 0 ? undefined : uuidsArgument(name, values, 1, MAX_IDS);
}

/** The wire form of sums. */
export function usageRow(row: UsageSumRow): UsageRow {
  const usage = USAGE_BUCKETS.map((bucket, index) => ({ bucket, quantity: row.quantities[index] ?? 0n }));
  return {
    startMs: row.start_ms,
    model: row.model,
    keyId: row.key_id,
    projectId: row.project_id,
    ownerId: row.owner_id,
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

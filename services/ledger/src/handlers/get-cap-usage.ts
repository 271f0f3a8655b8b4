import { CAP_PERIOD_OF_LABEL, CAP_PERIODS, periodEnd, periodStart } from '@tollgate/common/cap-periods';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { GetCapUsageRequest, GetCapUsageResponse } from '@tollgate/proto/ledger';
import { readCapUsage } from '../store/cap-usage.ts';
import { uuidsArgument } from './arguments.ts';
import { keysInScope } from './key-scope.ts';

const MAX_NODES = 1_000;

/** What keys and nodes above them have spent of their caps in the current periods; for a developer, of their keys. */
export function createGetCapUsageHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<GetCapUsageRequest, GetCapUsageResponse> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const nodeIds = keysInScope(context, uuidsArgument('node_ids', request.nodeIds, 1, MAX_NODES)) ?? [];
    if (nodeIds.length === 0) return { caps: [] };
    const now = Date.now();
    const periods = CAP_PERIODS.map((period) => ({ period, startMs: periodStart(period, now) }));
    const rows = await readCapUsage(pool, accountId, nodeIds, periods);
    return {
      caps: rows.map(({ nodeId, period, startMs, ...usage }) => ({
        nodeId,
        period: CAP_PERIOD_OF_LABEL[period],
        periodStartMs: BigInt(startMs),
        periodEndMs: BigInt(periodEnd(period, startMs) ?? 0),
        ...usage,
      })),
    };
  };
}

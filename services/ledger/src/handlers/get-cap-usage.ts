import { CAP_PERIOD_OF_LABEL, ceilingPeriodLabel, periodEnd, periodStart } from '@tollgate/common/cap-periods';
import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { CapPeriod, GetCapUsageRequest, GetCapUsageResponse } from '@tollgate/proto/ledger';
import { readCapUsage } from '../store/cap-usage.ts';
import type { Cap } from '../store/ceilings.ts';
import { uuidsArgument } from './arguments.ts';
import { scopeOf } from './key-scope.ts';

const MAX_NODES = 1_000;

/** What keys and nodes above them have spent of their caps in the current periods; for a developer, of their keys. */
export function createGetCapUsageHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<GetCapUsageRequest, GetCapUsageResponse> {
  return async ({ accountId: given, nodes }, context) => {
    const accountId = uuidArgument('account_id', given);
    const nodeIds = uuidsArgument(
      'nodes',
      nodes.map(({ nodeId }) => nodeId),
      1,
      MAX_NODES,
    );
    const { keysAndBelow: visible } = scopeOf(context);
    const now = Date.now();
    const caps = nodes.flatMap(({ periods }, index): Cap[] => {
      const nodeId = nodeIds[index];
      if (nodeId === undefined || visible?.includes(nodeId) === false) return [];
      return periods.map((number) => {
        const period = periodArgument(`nodes[${index}].periods`, number);
        return { accountId, nodeId, period, startMs: periodStart(period, now) };
      });
    });
    if (caps.length === 0) return { caps: [] };
    const rows = await readCapUsage(pool, accountId, caps);
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

function periodArgument(name: string, number: CapPeriod) {
  const period = ceilingPeriodLabel(number);
  if (period === undefined) throw new RpcError('invalid_argument', `${name}: not known`);
  return period;
}

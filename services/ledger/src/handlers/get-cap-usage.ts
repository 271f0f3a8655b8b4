import { CAP_PERIOD_OF_LABEL, CAP_PERIODS, periodEnd, periodStart } from '@tollgate/common/cap-periods';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { GetCapUsageRequest, GetCapUsageResponse } from '@tollgate/proto/ledger';
import { readCapUsage } from '../store/cap-usage.ts';
import { uuidsArgument } from './arguments.ts';
import { keysInScope } from './key-scope.ts';

const MAX_KEYS = 1_000;

/** What keys have spent of their caps in the current periods; for a developer, of their keys. */
export function createGetCapUsageHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<GetCapUsageRequest, GetCapUsageResponse> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const keyIds = keysInScope(context, uuidsArgument('key_ids', request.keyIds, 1, MAX_KEYS)) ?? [];
    if (keyIds.length === 0) return { caps: [] };
    const now = Date.now();
    const periods = CAP_PERIODS.map((period) => ({ period, startMs: periodStart(period, now) }));
    const rows = await readCapUsage(pool, accountId, keyIds, periods);
    return {
      caps: rows.map(({ keyId, period, startMs, ...usage }) => ({
        keyId,
        period: CAP_PERIOD_OF_LABEL[period],
        periodStartMs: BigInt(startMs),
        periodEndMs: BigInt(periodEnd(period, startMs) ?? 0),
        ...usage,
      })),
    };
  };
}

import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { GetThresholdsRequest, Thresholds } from '@tollgate/proto/ledger';
import { readThresholds } from '../store/thresholds.ts';

/** The thresholds of an account: its own, or the default ones. */
export function createGetThresholdsHandler({ pool }: { pool: Pool }): UnaryHandler<GetThresholdsRequest, Thresholds> {
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const { thresholds, own } = await readThresholds(pool, accountId);
    return { accountId, thresholdsNanos: thresholds, own };
  };
}

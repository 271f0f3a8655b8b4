import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { SetThresholdsRequest, Thresholds } from '@tollgate/proto/ledger';
import { MAX_THRESHOLDS, setThresholds } from '../events/thresholds.ts';
import { withRetries } from '../store/retry.ts';

/** Sets an account's own thresholds, or removes them. */
export function createSetThresholdsHandler({ pool }: { pool: Pool }): UnaryHandler<SetThresholdsRequest, Thresholds> {
  return async (request, call) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const given = [...new Set(request.thresholdsNanos)];
    if (given.length > MAX_THRESHOLDS) {
      throw new RpcError('invalid_argument', `thresholds_nanos: at most ${MAX_THRESHOLDS}`);
    }
    if (given.some((threshold) => threshold < 0n)) {
      throw new RpcError('invalid_argument', 'thresholds_nanos: must not be negative');
    }
    if (request.useDefaults && given.length > 0) {
      throw new RpcError('invalid_argument', 'thresholds_nanos: must be empty with use_defaults');
    }
    const { thresholds, own } = await withRetries(() =>
      setThresholds(pool, accountId, request.useDefaults ? undefined : given, actorOf(call)),
    );
    return { accountId, thresholdsNanos: thresholds, own };
  };
}

import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ReportKeyUseRequest, ReportKeyUseResponse } from '@tollgate/proto/auth';
import { recordKeyUses } from '../store/keys.ts';
import { timeArgument } from './arguments.ts';

const MAX_USES = 10_000;

/** Records when keys were used last. */
export function createReportKeyUseHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ReportKeyUseRequest, ReportKeyUseResponse> {
  return async ({ uses }) => {
    if (uses.length > MAX_USES)
      throw new RpcError('invalid_argument', `uses: at most ${MAX_USES} in a call, got ${uses.length}`);
    const rows = uses.map((use, index) => ({
      keyId: uuidArgument(`uses[${index}].key_id`, use.keyId),
      usedAt: timeArgument(`uses[${index}].last_used_at_ms`, use.lastUsedAtMs),
    }));
    if (rows.length > 0) await recordKeyUses(pool, rows);
    return {};
  };
}

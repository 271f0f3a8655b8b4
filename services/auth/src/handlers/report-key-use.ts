import { RpcError } from '@tollgate/common/errors';
import type { ReportKeyUseRequest, ReportKeyUseResponse } from '@tollgate/proto/auth';
import type { Dependencies } from '../dependencies.ts';
import { recordKeyUses } from '../store/keys.ts';
import { requireTime, requireUuid } from './validate.ts';

const MAX_USES = 10_000;

/** Records when keys were used last. */
export async function reportKeyUse(
  { pool }: Pick<Dependencies, 'pool'>,
  { uses }: ReportKeyUseRequest,
): Promise<ReportKeyUseResponse> {
  if (uses.length > MAX_USES) throw new RpcError('invalid_argument', `uses may be ${MAX_USES} at most`);
  const rows = uses.map((use, index) => ({
    keyId: requireUuid(`uses[${index}].key_id`, use.keyId),
    usedAt: requireTime(`uses[${index}].last_used_at_ms`, use.lastUsedAtMs),
  }));
  if (rows.length > 0) await recordKeyUses(pool, rows);
  return {};
}

import { RpcError } from '@tollgate/common/errors';
import { textArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { RepostQuarantinedRequest, RepostQuarantinedResponse } from '@tollgate/proto/ledger';
import type { LedgerConfig } from '../config.ts';
import { outcomeName } from '../settle/observe-settlement.ts';
import { repostQuarantined } from '../settle/repost-quarantined.ts';
import type { Settlement } from '../settle/settler.ts';
import { withRetries } from '../store/retry.ts';

/** The quarantine truncates ids to this length. */
const MAX_ID_LENGTH = 100;

/** Posts a quarantined charge again, and logs it. */
export function createRepostQuarantinedHandler({
  config,
  logger,
  pool,
  onSettled,
}: {
  config: LedgerConfig;
  logger: Logger;
  pool: Pool;
  onSettled: (settlement: Settlement) => void;
}): UnaryHandler<RepostQuarantinedRequest, RepostQuarantinedResponse> {
  return async (request, call) => {
    const key = {
      accountId: textArgument('account_id', request.accountId, MAX_ID_LENGTH).toLowerCase(),
      requestId: textArgument('request_id', request.requestId, MAX_ID_LENGTH).toLowerCase(),
      contentHash: request.contentHash.toLowerCase(),
    };
    if (!/^([0-9a-f]{32})?$/.test(key.contentHash)) {
      throw new RpcError('invalid_argument', 'content_hash: must be 32 hex digits, or empty');
    }
    const startedAt = Date.now();
    const actor = actorOf(call);
    const { settled, ...reposted } = await withRetries(() =>
      repostQuarantined(pool, key, config.CHARGE_MAX_AGE_MS, actor),
    );
    if (settled !== undefined) onSettled({ ...settled, startedAt, endedAt: Date.now() });
    const { outcome, reason, costNanos, chargedNanos } = reposted;
    const amounts = { cost_nanos: costNanos.toString(), charged_nanos: chargedNanos.toString() };
    const names = { account_id: key.accountId, request_id: key.requestId };
    logger.warn(
      { ...names, outcome: outcomeName(outcome), reason, ...amounts },
      'a quarantined charge was posted again',
    );
    return reposted;
  };
}

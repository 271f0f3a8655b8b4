import { formatDollars } from '@tollgate/common/money';
import type { QuarantinedCharge } from '@tollgate/proto/ledger';
import { renderTime } from './time.ts';

/** A charge that could not be posted, as the ingress sent it. */
export function renderQuarantined(charge: QuarantinedCharge) {
  return {
    account_id: charge.accountId,
    request_id: charge.requestId,
    content_hash: charge.contentHash,
    reason: charge.reason,
    model: charge.model,
    cost: formatDollars(charge.costNanos),
    hold: formatDollars(charge.holdNanos),
    times_seen: Number(charge.timesSeen),
    first_seen_at: renderTime(charge.firstSeenAtMs),
    last_seen_at: renderTime(charge.lastSeenAtMs),
  };
}

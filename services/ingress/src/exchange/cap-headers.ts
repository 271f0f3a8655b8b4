import { periodEnd } from '@tollgate/common/cap-periods';
import { type CeilingOwner, freeShare, nodeOf } from '../shared/limits/ceilings.ts';
import { setRateLimitFields } from '../shared/limits/ratelimit-fields.ts';
import type { TollgateResponse } from '../shared/request/request-context.ts';
import type { Hold } from '../wallet/index.ts';

const NANOS_PER_MICRODOLLAR = 1_000n;

/**
 * Reports the spending cap that is nearest to its end, of those that the key may see, unless a rate limit is nearer. Does
 * nothing without caps.
 *
 * @param nowMs Unix milliseconds
 */
export function setCapHeaders(
  res: TollgateResponse,
  hold: Pick<Hold, 'nearestCap'>,
  owner: CeilingOwner,
  nowMs: number,
): void {
  const cap = hold.nearestCap((nodeId) => nodeOf(nodeId, owner).name !== null);
  if (cap === undefined || res.headersSent || freeShare(cap) > res.locals.context.limitLeft) return;
  const end = periodEnd(cap.window, cap.startMs);
  setRateLimitFields(res, {
    name: cap.window === 'session' ? cap.window : `${nodeOf(cap.nodeId, owner).scope.replace('_', '-')}-${cap.window}`,
    unit: 'microdollar',
    amount: Number(cap.limitNanos / NANOS_PER_MICRODOLLAR),
    windowSeconds: end === undefined ? undefined : (end - cap.startMs) / 1_000,
    remaining: Number((cap.leftNanos - cap.heldNanos) / NANOS_PER_MICRODOLLAR),
    resetSeconds: end === undefined ? undefined : Math.max(0, Math.ceil((end - nowMs) / 1_000)),
  });
}

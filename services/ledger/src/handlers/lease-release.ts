import { isUuid } from '@tollgate/common/ids';
import type { ReleaseCredit } from '@tollgate/proto/ledger';
import { capOf } from '../caps/cap-name.ts';
import { releaseCredit } from '../leases/release-credit.ts';
import { withRetries } from '../retry.ts';
import type { LeaseContext, Send } from './lease.ts';

/** Frees what an earlier session of the ingress cannot use any more, and confirms it. */
export async function handleRelease({ pool }: LeaseContext, request: ReleaseCredit, send: Send): Promise<void> {
  const { sessionId, accountId, keepNanos, databaseId } = request;
  const cap = capOf(request.cap);
  const isNamed = isUuid(sessionId) && isUuid(accountId) && keepNanos >= 0n;
  const isOfCap = request.cap !== undefined;
  if (isNamed && isOfCap === (cap !== undefined)) {
    const ids = { sessionId: sessionId.toLowerCase(), accountId: accountId.toLowerCase() };
    if (!(await withRetries(() => releaseCredit(pool, { ...ids, cap, keepNanos, databaseId })))) return;
  }
  await send({ $case: 'released', value: { sessionId, accountId, keepNanos, cap: request.cap } });
}

import { isUuid } from '@tollgate/common/ids';
import type { AcquireCredit } from '@tollgate/proto/ledger';
import { acquireCredit } from '../leases/acquire-credit.ts';
import { unknownAccount } from '../leases/lease-state.ts';
import { withRetries } from '../retry.ts';
import type { LeaseContext, Send } from './lease.ts';
import { sendFenced } from './lease-fenced.ts';

/** Grows a lease, or refuses to, and answers with the lease as it stands. */
export async function handleAcquire(
  { pool }: LeaseContext,
  sessionId: string,
  request: AcquireCredit,
  send: Send,
): Promise<void> {
  if (!isUuid(request.accountId)) {
    return send({ $case: 'lease', value: unknownAccount(request.accountId, request.sequence, true) });
  }
  const wanted = { ...request, accountId: request.accountId.toLowerCase() };
  const state = await withRetries(() => acquireCredit(pool, sessionId, wanted));
  if (state === 'fenced') return sendFenced(sessionId, send);
  await send({ $case: 'lease', value: state });
}

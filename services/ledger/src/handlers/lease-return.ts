import { isUuid } from '@tollgate/common/ids';
import type { ReturnCredit } from '@tollgate/proto/ledger';
import { unknownAccount } from '../leases/lease-state.ts';
import { returnCredit } from '../leases/return-credit.ts';
import { withRetries } from '../retry.ts';
import type { LeaseContext, Send } from './lease.ts';
import { sendFenced } from './lease-fenced.ts';

/** Takes back unspent credit, tells those who recalled it, and answers with the lease as it stands. */
export async function handleReturn(
  { pool, recalls }: LeaseContext,
  sessionId: string,
  request: ReturnCredit,
  send: Send,
): Promise<void> {
  if (!isUuid(request.accountId)) {
    return send({ $case: 'lease', value: unknownAccount(request.accountId, 0n, false) });
  }
  const given = { ...request, accountId: request.accountId.toLowerCase() };
  const state = await withRetries(() => returnCredit(pool, sessionId, given));
  const { accountId } = given;
  const gave = state !== 'fenced' && state.availableNanos > 0n;
  recalls.returned(sessionId, { kind: 'credit', accountId }, gave);
  recalls.returned(sessionId, { kind: 'suspended', accountId }, gave);
  if (state === 'fenced') return sendFenced(sessionId, send);
  await send({ $case: 'lease', value: state });
}

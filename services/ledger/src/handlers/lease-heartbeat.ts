import { isUuid } from '@tollgate/common/ids';
import type { Heartbeat } from '@tollgate/proto/ledger';
import { withRetries } from '../retry.ts';
import { recordHeartbeat } from '../store/record-heartbeat.ts';
import type { LeaseContext, Send } from './lease.ts';
import { sendFenced } from './lease-fenced.ts';

/** Records a heartbeat with what the session's requests hold, and confirms it. */
export async function handleHeartbeat(
  { pool }: LeaseContext,
  sessionId: string,
  request: Heartbeat,
  send: Send,
): Promise<void> {
  const held = new Map<string, bigint>();
  for (const { accountId, heldNanos } of request.held) {
    if (isUuid(accountId)) held.set(accountId.toLowerCase(), heldNanos > 0n ? heldNanos : 0n);
  }
  const recorded = await withRetries(() => recordHeartbeat(pool, sessionId, request.sequence, held));
  if (recorded === undefined) return sendFenced(sessionId, send);
  await send({ $case: 'heartbeat', value: { sequence: request.sequence, ...recorded } });
}

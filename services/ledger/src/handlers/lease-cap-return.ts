import type { ReturnCap } from '@tollgate/proto/ledger';
import { capName, capOf } from '../caps/cap-name.ts';
import { unknownCap } from '../caps/cap-state.ts';
import { returnCap } from '../caps/return-cap.ts';
import { withRetries } from '../retry.ts';
import type { LeaseContext, Send } from './lease.ts';
import { sendFenced } from './lease-fenced.ts';

/** Takes back what a session does not need of a cap, tells those who recalled it, and answers with its part. */
export async function handleReturnCap(
  { pool, recalls }: LeaseContext,
  sessionId: string,
  request: ReturnCap,
  send: Send,
): Promise<void> {
  const cap = capOf(request.cap);
  if (cap === undefined) return send({ $case: 'cap', value: unknownCap(request.cap, 0n, false) });
  const state = await withRetries(() => returnCap(pool, sessionId, cap, request.returnedTotal));
  recalls.returned(sessionId, { kind: 'cap', cap: capName(cap) }, state !== 'fenced' && state.availableNanos > 0n);
  if (state === 'fenced') return sendFenced(sessionId, send);
  await send({ $case: 'cap', value: state });
}

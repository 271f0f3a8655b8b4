import type { AcquireCap } from '@tollgate/proto/ledger';
import { acquireCap } from '../caps/acquire-cap.ts';
import { capOf } from '../caps/cap-name.ts';
import { unknownCap } from '../caps/cap-state.ts';
import { withRetries } from '../retry.ts';
import type { LeaseContext, Send } from './lease.ts';
import { sendFenced } from './lease-fenced.ts';

/** Grows a session's part of a cap, or refuses to, and answers with it as it stands. */
export async function handleAcquireCap(
  { pool }: LeaseContext,
  sessionId: string,
  request: AcquireCap,
  send: Send,
): Promise<void> {
  const cap = capOf(request.cap);
  if (cap === undefined || request.limitNanos < 0n) {
    return send({ $case: 'cap', value: unknownCap(request.cap, request.sequence, true) });
  }
  const state = await withRetries(() => acquireCap(pool, sessionId, cap, request));
  if (state === 'fenced') return sendFenced(sessionId, send);
  await send({ $case: 'cap', value: state });
}

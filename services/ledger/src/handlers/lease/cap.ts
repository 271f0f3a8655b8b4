import type { ServerStream } from '@tollgate/common/grpc/server-stream';
import type { AcquireCap, CapState, LeaseResponse, ReturnCap } from '@tollgate/proto/ledger';
import { capName, capOf, unknownCap } from '../../caps/cap-state.ts';
import { acquireCap, returnCap } from '../../caps/lease-cap.ts';
import { withRecall } from '../../recall/with-recall.ts';
import { sessionsWithCap } from '../../store/cap-leases.ts';
import { withRetries } from '../../store/retry.ts';
import type { LeaseContext, Send } from './context.ts';
import { sendFenced } from './context.ts';

/**
 * Grows a session's part of a cap and responds with its state. If too little is unallocated, but other sessions have enough
 * that they do not need, that is recalled first, as with credit.
 */
export async function handleAcquireCap(
  context: LeaseContext,
  sessionId: string,
  request: AcquireCap,
  send: Send,
  stream: ServerStream<LeaseResponse>,
): Promise<void> {
  const cap = capOf(request.cap);
  if (cap === undefined || request.limitNanos < 0n) {
    return send({ $case: 'cap', value: unknownCap(request.cap, request.sequence, true) });
  }
  const { pool } = context;
  const attempt = () => withRetries(() => acquireCap(pool, sessionId, cap, request));
  const isShort = (state: CapState | 'fenced') => isCapRecallable(state, request);
  const state = await attempt();
  if (!isShort(state)) return sendCap(sessionId, state, send);
  const holders = () => sessionsWithCap(pool, cap, sessionId, context.times.sessionTtlMs);
  const scope = { kind: 'cap', cap: capName(cap) } as const;
  const recalled = withRecall(context.recalls, { scope, state, attempt, isShort, holders, signal: stream.gone });
  stream.runAside(recalled.then((last) => sendCap(sessionId, last, send)));
}

/** Whether the rest of the cap, without this session's part, could meet a refused acquire. */
function isCapRecallable(state: CapState | 'fenced', request: AcquireCap): boolean {
  if (state === 'fenced' || !state.refused || request.prefetch === true) return false;
  const ownPart = state.grantedTotal - state.spentTotal - state.returnedTotal;
  const need = request.grantedTotalNeeded - state.grantedTotal;
  return state.leftNanos - ownPart >= (need > 0n ? need : 0n);
}

function sendCap(sessionId: string, state: CapState | 'fenced', send: Send): Promise<void> {
  return state === 'fenced' ? sendFenced(sessionId, send) : send({ $case: 'cap', value: state });
}

/** Takes back what a session does not need of a cap, reports it to recalls, and responds with the state of its part. */
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

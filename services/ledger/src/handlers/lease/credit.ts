import type { ServerStream } from '@tollgate/common/grpc/server-stream';
import { isUuid } from '@tollgate/common/ids';
import type { AcquireCredit, LeaseResponse, LeaseState, ReleaseCredit, ReturnCredit } from '@tollgate/proto/ledger';
import { capOf } from '../../caps/cap-state.ts';
import { acquireCredit, releaseCredit, returnCredit } from '../../leases/lease-credit.ts';
import { unknownAccount } from '../../leases/lease-state.ts';
import { withRecall } from '../../recall/with-recall.ts';
import { sessionsWithCredit } from '../../store/leases.ts';
import { withRetries } from '../../store/retry.ts';
import type { LeaseContext, Send } from './context.ts';
import { sendFenced } from './context.ts';

/**
 * Grows a lease and responds with its state. If too little is available, but other sessions have enough, their idle credit
 * is recalled first. The response comes later then, while other messages are handled.
 */
export async function handleAcquire(
  context: LeaseContext,
  sessionId: string,
  request: AcquireCredit,
  send: Send,
  stream: ServerStream<LeaseResponse>,
): Promise<void> {
  if (!isUuid(request.accountId)) {
    return send({ $case: 'lease', value: unknownAccount(request.accountId, request.sequence, true) });
  }
  const { pool } = context;
  const wanted = { ...request, accountId: request.accountId.toLowerCase() };
  const attempt = () => withRetries(() => acquireCredit(pool, sessionId, wanted));
  const isShort = (state: LeaseState | 'fenced') => isCreditRecallable(state, wanted);
  const state = await attempt();
  if (!isShort(state)) return sendLease(sessionId, state, send);
  const holders = () => sessionsWithCredit(pool, wanted.accountId, sessionId, context.times.sessionTtlMs);
  const scope = { kind: 'credit', accountId: wanted.accountId } as const;
  const shortfall = { scope, state, attempt, isShort, holders, signal: stream.gone };
  const recalled = withRecall(context.recalls, shortfall);
  stream.runAside(recalled.then((last) => sendLease(sessionId, last, send)));
}

/** Whether available credit and the leases of other sessions together could meet a refused acquire. */
function isCreditRecallable(state: LeaseState | 'fenced', wanted: AcquireCredit): boolean {
  if (state === 'fenced' || !state.refused || state.suspended || wanted.prefetch === true) return false;
  const ownCredit = state.grantedTotal - state.spentTotal - state.returnedTotal;
  return state.balanceNanos - ownCredit >= wanted.grantedTotalNeeded - state.grantedTotal;
}

function sendLease(sessionId: string, state: LeaseState | 'fenced', send: Send): Promise<void> {
  return state === 'fenced' ? sendFenced(sessionId, send) : send({ $case: 'lease', value: state });
}

/** Takes back unspent credit, reports it to recalls, and responds with the lease's state. */
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

/** Frees credit that an earlier session of the ingress cannot use any more, and confirms it. */
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

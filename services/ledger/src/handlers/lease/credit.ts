import type { ServerStream } from '@tollgate/common/grpc/server-stream';
import { isUuid } from '@tollgate/common/ids';
import { atLeastZero } from '@tollgate/common/money';
import type { AcquireCredit, LeaseResponse, LeaseState, ReleaseCredit, ReturnCredit } from '@tollgate/proto/ledger';
import { type Acquire, acquireOf, type CeilingNeed, ceilingOf } from '../../leases/ceilings.ts';
import { acquireCredit, releaseCredit, returnCredit } from '../../leases/lease-credit.ts';
import { unknownState } from '../../leases/lease-state.ts';
import { recallOf, withRecall } from '../../recall/with-recall.ts';
import { withRetries } from '../../store/retry.ts';
import type { LeaseContext, Send } from './context.ts';
import { sendFenced } from './context.ts';

/**
 * Grows leases and responds with their state. If too little is available, but other sessions have enough, their idle credit
 * is recalled first. The response comes later then, while other messages are handled.
 */
export async function handleAcquire(
  context: LeaseContext,
  sessionId: string,
  request: AcquireCredit,
  send: Send,
  stream: ServerStream<LeaseResponse>,
): Promise<void> {
  const acquire = acquireOf(request);
  if (acquire === undefined) {
    const { accountId, sequence, needs } = request;
    const names = needs.map(({ ceiling }) => ceiling);
    return send({ $case: 'lease', value: unknownState(accountId, names, { sequence }) });
  }
  const { pool, recalls, times } = context;
  const { accountId } = acquire;
  const attempt = () => withRetries(() => acquireCredit(pool, sessionId, acquire));
  const shortOf = (state: LeaseState | 'fenced') => {
    const [first] = recallable(state, acquire);
    return first && recallOf(pool, { accountId, cap: first.cap, suspended: false }, sessionId, times.sessionTtlMs);
  };
  const state = await attempt();
  if (shortOf(state) === undefined) return sendLease(sessionId, state, send);
  const recalled = withRecall(recalls, { state, attempt, shortOf, signal: stream.gone });
  stream.runAside(recalled.then((last) => sendLease(sessionId, last, send)));
}

/** What a refused acquire falls short of; nothing, unless the rest of all that, without the session's own part, could meet it. */
function recallable(state: LeaseState | 'fenced', { needs, prefetch }: Acquire): CeilingNeed[] {
  if (state === 'fenced' || !state.refused || state.suspended || prefetch) return [];
  const short: CeilingNeed[] = [];
  for (const [place, ceiling] of state.ceilings.entries()) {
    const need = needs[place];
    if (need === undefined || !ceiling.short) continue;
    const own = ceiling.grantedTotal - ceiling.spentTotal - ceiling.returnedTotal;
    const missing = need.grantedTotalNeeded - ceiling.grantedTotal;
    if (ceiling.leftNanos - own < atLeastZero(missing)) return [];
    short.push(need);
  }
  return short;
}

function sendLease(sessionId: string, state: LeaseState | 'fenced', send: Send): Promise<void> {
  return state === 'fenced' ? sendFenced(sessionId, send) : send({ $case: 'lease', value: state });
}

/** Takes back unspent credit, reports it to recalls, and responds with the lease's state. */
export async function handleReturn(
  { pool, recalls }: LeaseContext,
  sessionId: string,
  { accountId, ceiling: name, returnedTotal }: ReturnCredit,
  send: Send,
): Promise<void> {
  const ceiling = ceilingOf(accountId, name);
  if (ceiling === undefined) return send({ $case: 'lease', value: unknownState(accountId, [name]) });
  const state = await withRetries(() => returnCredit(pool, sessionId, { ...ceiling, returnedTotal }));
  const gave = state !== 'fenced' && state.ceilings.some(({ availableNanos }) => availableNanos > 0n);
  for (const suspended of [false, true]) recalls.returned(sessionId, { ...ceiling, suspended }, gave);
  return sendLease(sessionId, state, send);
}

/** Frees credit that an earlier session of the ingress cannot use any more, and confirms it. */
export async function handleRelease({ pool }: LeaseContext, request: ReleaseCredit, send: Send): Promise<void> {
  const { sessionId, accountId, ceiling: name, keepNanos, databaseId } = request;
  const ceiling = ceilingOf(accountId, name);
  if (ceiling !== undefined && isUuid(sessionId) && keepNanos >= 0n) {
    const release = { ...ceiling, sessionId: sessionId.toLowerCase(), keepNanos, databaseId };
    if (!(await withRetries(() => releaseCredit(pool, release)))) return;
  }
  await send({ $case: 'released', value: { sessionId, accountId, ceiling: name, keepNanos } });
}

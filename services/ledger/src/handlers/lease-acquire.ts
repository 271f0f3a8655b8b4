import { isUuid } from '@tollgate/common/ids';
import type { AcquireCredit, LeaseState } from '@tollgate/proto/ledger';
import { acquireCredit } from '../leases/acquire-credit.ts';
import { unknownAccount } from '../leases/lease-state.ts';
import { withRecall } from '../recall/with-recall.ts';
import { withRetries } from '../retry.ts';
import { sessionsWithCover } from '../store/sessions-with-cover.ts';
import type { ServedStream } from '../streams/serve-stream.ts';
import type { LeaseContext, Send } from './lease.ts';
import { sendFenced } from './lease-fenced.ts';

/**
 * Grows a lease and answers with it as it stands. Where what is available falls short of the need, yet what other
 * sessions still cover would meet it, that is recalled first; the answer comes later then, and other messages pass it.
 */
export async function handleAcquire(
  context: LeaseContext,
  sessionId: string,
  request: AcquireCredit,
  send: Send,
  stream: ServedStream,
): Promise<void> {
  if (!isUuid(request.accountId)) {
    return send({ $case: 'lease', value: unknownAccount(request.accountId, request.sequence, true) });
  }
  const { pool } = context;
  const wanted = { ...request, accountId: request.accountId.toLowerCase() };
  const attempt = () => withRetries(() => acquireCredit(pool, sessionId, wanted));
  const isShort = (state: LeaseState | 'fenced') => couldBeRecalled(state, wanted);
  const state = await attempt();
  if (!isShort(state)) return answer(sessionId, state, send);
  const holders = () => sessionsWithCover(pool, wanted.accountId, sessionId, context.times.sessionTtlMs);
  const scope = { kind: 'credit', accountId: wanted.accountId } as const;
  const shortage = { scope, state, attempt, isShort, holders, signal: stream.gone };
  const recalled = withRecall(context.recalls, shortage);
  stream.aside(recalled.then((last) => answer(sessionId, last, send)));
}

/** Whether an acquire that was refused could be met by what is available and what other sessions' leases cover. */
function couldBeRecalled(state: LeaseState | 'fenced', wanted: AcquireCredit): boolean {
  if (state === 'fenced' || !state.refused || state.suspended || wanted.ahead === true) return false;
  const ownCover = state.grantedTotal - state.spentTotal - state.returnedTotal;
  return state.balanceNanos - ownCover >= wanted.grantedTotalNeeded - state.grantedTotal;
}

function answer(sessionId: string, state: LeaseState | 'fenced', send: Send): Promise<void> {
  return state === 'fenced' ? sendFenced(sessionId, send) : send({ $case: 'lease', value: state });
}

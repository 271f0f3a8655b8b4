import type { AcquireCap, CapState } from '@tollgate/proto/ledger';
import { acquireCap } from '../caps/acquire-cap.ts';
import { capName, capOf } from '../caps/cap-name.ts';
import { unknownCap } from '../caps/cap-state.ts';
import { withRecall } from '../recall/with-recall.ts';
import { withRetries } from '../retry.ts';
import { sessionsWithCap } from '../store/sessions-with-cap.ts';
import type { ServedStream } from '../streams/serve-stream.ts';
import type { LeaseContext, Send } from './lease.ts';
import { sendFenced } from './lease-fenced.ts';

/**
 * Grows a session's part of a cap and answers with it as it stands. Where too little is left that no session has, yet
 * what others have and do not need would do, that is recalled first, as it is of credit.
 */
export async function handleAcquireCap(
  context: LeaseContext,
  sessionId: string,
  request: AcquireCap,
  send: Send,
  stream: ServedStream,
): Promise<void> {
  const cap = capOf(request.cap);
  if (cap === undefined || request.limitNanos < 0n) {
    return send({ $case: 'cap', value: unknownCap(request.cap, request.sequence, true) });
  }
  const { pool } = context;
  const attempt = () => withRetries(() => acquireCap(pool, sessionId, cap, request));
  const isShort = (state: CapState | 'fenced') => couldBeRecalled(state, request);
  const state = await attempt();
  if (!isShort(state)) return answer(sessionId, state, send);
  const holders = () => sessionsWithCap(pool, cap, sessionId, context.times.sessionTtlMs);
  const scope = { kind: 'cap', cap: capName(cap) } as const;
  const recalled = withRecall(context.recalls, { scope, state, attempt, isShort, holders, signal: stream.gone });
  stream.aside(recalled.then((last) => answer(sessionId, last, send)));
}

/** Whether an acquire that was refused could be met by what is left of the cap and is not this session's own. */
function couldBeRecalled(state: CapState | 'fenced', request: AcquireCap): boolean {
  if (state === 'fenced' || !state.refused || request.ahead === true) return false;
  const ownPart = state.grantedTotal - state.spentTotal - state.returnedTotal;
  const need = request.grantedTotalNeeded - state.grantedTotal;
  return state.leftNanos - ownPart >= (need > 0n ? need : 0n);
}

function answer(sessionId: string, state: CapState | 'fenced', send: Send): Promise<void> {
  return state === 'fenced' ? sendFenced(sessionId, send) : send({ $case: 'cap', value: state });
}

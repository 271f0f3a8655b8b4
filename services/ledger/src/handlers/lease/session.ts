import { RpcError } from '@tollgate/common/errors';
import { BEFORE_ALL, isUuid } from '@tollgate/common/ids';
import { atLeastZero } from '@tollgate/common/money';
import type { CloseSession, Heartbeat, LeaseState, OpenSession } from '@tollgate/proto/ledger';
import { closeSession } from '../../leases/end-session.ts';
import { ceilingState, leaseView } from '../../leases/lease-state.ts';
import { listLeases } from '../../store/leases.ts';
import { withRetries } from '../../store/retry.ts';
import { openSession, recordHeartbeat } from '../../store/sessions.ts';
import type { LeaseContext, Send } from './context.ts';
import { sendFenced } from './context.ts';

const MAX_NAME_LENGTH = 200;

/** Leases in the first response, and in each query after it: keeps the message far below its size limit. */
const LEASE_BATCH = 5_000;

/**
 * Opens or resumes a session and sends its leases: the first ones in the response, further ones in lease messages after it.
 */
export async function handleOpen(context: LeaseContext, request: OpenSession, send: Send): Promise<void> {
  const { pool, times } = context;
  const { sessionId } = request;
  const name = request.ingressName.slice(0, MAX_NAME_LENGTH).replaceAll('\0', '');
  const opened = await openSession(pool, sessionId, name);
  if (opened === undefined) return sendFenced(sessionId, send);
  let leases = await readLeases(context, sessionId, BEFORE_ALL);
  await send({
    $case: 'opened',
    value: {
      sessionId,
      epoch: opened.epoch,
      sessionTtlMs: BigInt(times.sessionTtlMs),
      heartbeatIntervalMs: BigInt(times.heartbeatIntervalMs),
      maxRequestMs: BigInt(times.maxRequestMs),
      databaseId: opened.databaseId,
      databaseTimeMs: opened.databaseTimeMs,
      leases,
    },
  });
  while (leases.length === LEASE_BATCH) {
    leases = await readLeases(context, sessionId, leases.at(-1)?.accountId ?? BEFORE_ALL);
    for (const value of leases) await send({ $case: 'lease', value });
  }
}

async function readLeases(context: LeaseContext, sessionId: string, after: string): Promise<LeaseState[]> {
  const leases = await listLeases(context.pool, sessionId, after, LEASE_BATCH);
  return leases.map(({ accountId, suspended, ...lease }) => {
    const ceilings = [ceilingState(leaseView(lease, lease))];
    return { accountId, sequence: 0n, refused: false, suspended, ceilings };
  });
}

/** Records a heartbeat with what the session's requests hold and what it still has to settle, and confirms it. */
export async function handleHeartbeat(
  { pool }: LeaseContext,
  sessionId: string,
  request: Heartbeat,
  send: Send,
): Promise<void> {
  const held = new Map<string, bigint>();
  for (const { accountId, heldNanos } of request.held) {
    if (isUuid(accountId)) held.set(accountId.toLowerCase(), atLeastZero(heldNanos));
  }
  const unsettled = {
    charges: atLeastZero(request.unsettledCharges),
    oldestMs: atLeastZero(request.oldestUnsettledMs),
  };
  const recorded = await withRetries(() => recordHeartbeat(pool, sessionId, request.sequence, held, unsettled));
  if (recorded === undefined) return sendFenced(sessionId, send);
  await send({ $case: 'heartbeat', value: { sequence: request.sequence, ...recorded } });
}

/** Ends a session, of this stream or of an earlier process, and frees its credit. */
export async function handleClose({ pool }: LeaseContext, request: CloseSession, send: Send): Promise<void> {
  const sessionId = request.sessionId.toLowerCase();
  if (!isUuid(sessionId)) throw new RpcError('invalid_argument', 'close.session_id: must be a UUID');
  await withRetries(() => closeSession(pool, sessionId));
  await send({ $case: 'closed', value: { sessionId } });
}

import type { LeaseState, OpenSession } from '@tollgate/proto/ledger';
import { leaseState } from '../leases/lease-state.ts';
import { listLeases } from '../store/list-leases.ts';
import { openSession } from '../store/open-session.ts';
import type { LeaseContext, Send } from './lease.ts';
import { sendFenced } from './lease-fenced.ts';

/** What an ingress is told about time, milliseconds. */
export interface SessionTimes {
  sessionTtlMs: number;
  heartbeatIntervalMs: number;
  maxRequestMs: number;
}

const LONGEST_NAME = 200;

/** Leases in the answer itself, and in each step after it: a message stays far below its size limit. */
const LEASES_AT_ONCE = 5_000;

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/**
 * Opens a session or takes it up again, and tells its leases: the first ones in the answer, further ones in lease
 * messages after it.
 */
export async function handleOpen(context: LeaseContext, request: OpenSession, send: Send): Promise<void> {
  const { pool, times } = context;
  const { sessionId } = request;
  const name = request.ingressName.slice(0, LONGEST_NAME).replaceAll('\0', '');
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
  while (leases.length === LEASES_AT_ONCE) {
    leases = await readLeases(context, sessionId, leases.at(-1)?.accountId ?? BEFORE_ALL);
    for (const value of leases) await send({ $case: 'lease', value });
  }
}

async function readLeases(context: LeaseContext, sessionId: string, after: string): Promise<LeaseState[]> {
  const leases = await listLeases(context.pool, sessionId, after, LEASES_AT_ONCE);
  return leases.map((lease) => leaseState({ ...lease, sequence: 0n, refused: false }));
}

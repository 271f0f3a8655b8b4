import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { freeSession } from '../leases/end-session.ts';
import { fenceExpiredSessions, listClosingSessions } from '../store/sessions.ts';
import { tickSweeper } from '../store/sweeper.ts';

export interface SweepOptions {
  /** A longer time without any sweep means that heartbeats could not be recorded either. */
  gapMs: number;
  /** How long after its last heartbeat a dead session's credit is kept, and how long nothing expires after a gap. */
  keepMs: number;
}

/**
 * One round of the sweeper: ends sessions that died long enough ago, and frees the leases of all sessions that have
 * ended, also of those whose freeing was cut off. Several replicas may sweep at once.
 *
 * @returns the sessions whose leases were freed
 */
export async function sweep(pool: Pool, options: SweepOptions, logger: Logger): Promise<string[]> {
  const tick = await tickSweeper(pool, options.gapMs, options.keepMs);
  if (tick.mayExpire) {
    const expired = await fenceExpiredSessions(pool, tick.now, options.keepMs);
    for (const sessionId of expired) logger.warn({ session_id: sessionId }, 'session expired');
  }
  const closing = await listClosingSessions(pool);
  for (const sessionId of closing) {
    const freed = await freeSession(pool, sessionId);
    logger.info({ session_id: sessionId, freed_nanos: freed.toString() }, 'session ended, its leases are freed');
  }
  return closing;
}

import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { freeSession } from '../leases/end-session.ts';
import { fenceExpiredSessions, listClosingSessions } from '../store/sessions.ts';
import { tickSweeper } from '../store/sweeper.ts';

export interface SweepOptions {
  /** After a longer time without a sweep, heartbeats may not have been recorded either. */
  gapMs: number;
  /** How long a dead session's credit is kept after its last heartbeat, and how long nothing expires after a gap. */
  keepMs: number;
}

/**
 * One run of the sweeper: ends sessions that died long enough ago, and frees the leases of all ended sessions, including
 * those where that was interrupted. Several replicas may sweep concurrently.
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

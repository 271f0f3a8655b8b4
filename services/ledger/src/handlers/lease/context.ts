import type { Pool } from '@tollgate/common/postgres/pool';
import type { LeaseResponse } from '@tollgate/proto/ledger';
import type { Recalls } from '../../recall/recalls.ts';

/** What the messages of a Lease stream are handled with. */
export interface LeaseContext {
  pool: Pool;
  times: SessionTimes;
  recalls: Recalls;
}

/** Times that the ledger sends to an ingress, milliseconds. */
export interface SessionTimes {
  sessionTtlMs: number;
  heartbeatIntervalMs: number;
  maxRequestMs: number;
}

export type Send = (message: NonNullable<LeaseResponse['message']>) => Promise<void>;

/** Reports to an ingress that its session may not be used any more. */
export function sendFenced(sessionId: string, send: Send): Promise<void> {
  return send({
    $case: 'fenced',
    value: { sessionId, reason: 'the session was closed, expired, or is older than a restore of the database' },
  });
}

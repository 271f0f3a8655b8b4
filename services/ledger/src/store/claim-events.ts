import type { Queryable } from '@tollgate/common/postgres/pool';
import type { EventType } from '../events/event.ts';

export interface ClaimedEvent {
  accountId: string;
  eventId: string;
  type: EventType;
  payload: object;
  createdAtMs: bigint;
  /** Tries so far, the one of this claim included; tells the claim from others. */
  attempts: number;
}

/**
 * Takes events whose next try is due, the longest waiting ones first. Nobody else gets them until the claim has run out
 * or the next try was set otherwise.
 */
export async function claimEvents(db: Queryable, limit: number, claimMs: number): Promise<ClaimedEvent[]> {
  const { rows } = await db.query<{
    account_id: string;
    event_id: string;
    type: EventType;
    payload: object;
    created_at_ms: bigint;
    attempts: number;
  }>({
    name: 'claim-events',
    text: `
      WITH due AS MATERIALIZED (
        SELECT account_id, event_id FROM ledger.events
        WHERE state = 'pending' AND next_attempt_at <= statement_timestamp()
        ORDER BY next_attempt_at LIMIT $1 FOR UPDATE SKIP LOCKED
      )
      UPDATE ledger.events e
      SET attempts = e.attempts + 1, next_attempt_at = statement_timestamp() + $2 * interval '1 millisecond'
      FROM due WHERE e.account_id = due.account_id AND e.event_id = due.event_id
      RETURNING e.account_id::text, e.event_id::text, e.type, e.payload, e.created_at_ms, e.attempts`,
    values: [limit, claimMs],
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    eventId: row.event_id,
    type: row.type,
    payload: row.payload,
    createdAtMs: row.created_at_ms,
    attempts: row.attempts,
  }));
}

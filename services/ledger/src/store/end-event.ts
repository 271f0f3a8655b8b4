import type { Queryable } from '@tollgate/common/postgres/pool';
import type { ClaimedEvent } from './claim-events.ts';

/**
 * Ends the delivery of a claimed event.
 *
 * @param error what the last try ended in; undefined leaves what is known
 * @returns false when another claim has taken the event over, which then decides
 */
export async function endEvent(
  db: Queryable,
  event: ClaimedEvent,
  state: 'delivered' | 'given_up' | 'unsent',
  error: string | undefined,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'end-event',
    text: `
      UPDATE ledger.events SET
        state = $4::text::ledger.event_state, next_attempt_at = NULL, ended_at = statement_timestamp(),
        last_error = coalesce($5, last_error)
      WHERE account_id = $1 AND event_id = $2 AND state = 'pending' AND attempts = $3`,
    values: [event.accountId, event.eventId, event.attempts, state, error],
  });
  return rowCount === 1;
}

import type { Queryable } from '@tollgate/common/postgres/pool';
import type { ClaimedEvent } from './claim-events.ts';

/** Sets when a claimed event whose try failed is tried again, unless another claim has taken it over. */
export async function postponeEvent(db: Queryable, event: ClaimedEvent, delayMs: number, error: string): Promise<void> {
  await db.query({
    name: 'postpone-event',
    text: `
      UPDATE ledger.events
      SET next_attempt_at = statement_timestamp() + $4 * interval '1 millisecond', last_error = $5
      WHERE account_id = $1 AND event_id = $2 AND state = 'pending' AND attempts = $3`,
    values: [event.accountId, event.eventId, event.attempts, delayMs, error],
  });
}

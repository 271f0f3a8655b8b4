import type { Queryable } from '@tollgate/common/postgres/pool';
import { type Event, EventState } from '@tollgate/proto/ledger';
import type { EventType } from '../events/event.ts';
import type { Cursor } from '../ranges.ts';

/** Labels of the SQL type ledger.event_state. */
type EventStateLabel = 'pending' | 'delivered' | 'given_up' | 'unsent';

interface EventRow {
  event_id: string;
  account_id: string;
  type: EventType;
  payload: object;
  created_at_ms: bigint;
  state: EventStateLabel;
  attempts: number;
  next_attempt_at_ms: bigint;
  ended_at_ms: bigint;
  last_error: string | null;
}

/** Events of an account, newest first by their ids, after the cursor. */
export async function listEvents(
  db: Queryable,
  accountId: string,
  cursor: Cursor | undefined,
  limit: number,
): Promise<Event[]> {
  const { rows } = await db.query<EventRow>({
    name: cursor === undefined ? 'list-events' : 'list-events-after',
    text: `
      SELECT event_id::text, account_id::text, type, payload, created_at_ms, state, attempts, last_error,
             coalesce(floor(extract(epoch FROM next_attempt_at) * 1000), 0)::bigint AS next_attempt_at_ms,
             coalesce(floor(extract(epoch FROM ended_at) * 1000), 0)::bigint AS ended_at_ms
      FROM ledger.events
      WHERE account_id = $1 ${cursor === undefined ? '' : 'AND event_id < $3::uuid'}
      ORDER BY event_id DESC LIMIT $2`,
    values: [accountId, limit, ...(cursor === undefined ? [] : [cursor.id])],
  });
  return rows.map((row) => ({
    eventId: row.event_id,
    accountId: row.account_id,
    type: row.type,
    dataJson: JSON.stringify(row.payload),
    createdAtMs: row.created_at_ms,
    state: eventStateOf(row.state),
    attempts: row.attempts,
    nextAttemptAtMs: row.next_attempt_at_ms,
    endedAtMs: row.ended_at_ms,
    lastError: row.last_error ?? '',
  }));
}

function eventStateOf(label: EventStateLabel): EventState {
  switch (label) {
    case 'pending':
      return EventState.PENDING;
    case 'delivered':
      return EventState.DELIVERED;
    case 'given_up':
      return EventState.GIVEN_UP;
    case 'unsent':
      return EventState.UNSENT;
    default:
      return label satisfies never;
  }
}

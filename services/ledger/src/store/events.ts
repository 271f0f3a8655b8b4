import { BEFORE_ALL, idFloor } from '@tollgate/common/ids';
import type { PoolClient, Queryable } from '@tollgate/common/postgres/pool';
import { type Event, EventState } from '@tollgate/proto/ledger';
import { readSettledUntil } from './settled-until.ts';
import type { Cursor } from './time.ts';

/** Labels of the SQL type ledger.event_type, also the `type` that subscribers see. */
export type EventType =
  | 'balance.low'
  | 'cap.low'
  | 'cap.reached'
  | 'account.suspended'
  | 'account.unsuspended'
  | 'credit.expiring'
  | 'credit.expired';

/** An event for subscribers. Amounts in the payload are decimal text with their currency. */
export interface NewEvent {
  accountId: string;
  /** A new UUIDv7. */
  eventId: string;
  type: EventType;
  payload: Readonly<Record<string, string>>;
}

/** Writes events to the outbox, from which they are sent after the commit. */
export async function insertEvents(client: PoolClient, events: readonly NewEvent[], nowMs: bigint): Promise<void> {
  await client.query({
    name: 'insert-events',
    text: `
      INSERT INTO ledger.events (account_id, event_id, type, payload, created_at_ms)
      SELECT e.account_id, e.event_id, e.type::ledger.event_type, e.payload, $5
      FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::jsonb[]) AS e (account_id, event_id, type, payload)`,
    values: [
      events.map((event) => event.accountId),
      events.map((event) => event.eventId),
      events.map((event) => event.type),
      events.map((event) => JSON.stringify(event.payload)),
      nowMs,
    ],
  });
}

export interface ClaimedEvent {
  accountId: string;
  eventId: string;
  type: EventType;
  payload: object;
  createdAtMs: bigint;
  /** Attempts so far, including that of this claim; distinguishes the claim from others. */
  attempts: number;
}

/**
 * Claims events whose next attempt is due, those due first first. No other claim gets them until this one expires or the
 * next attempt is set.
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

/**
 * Ends the delivery of a claimed event.
 *
 * @param error of the last attempt; undefined keeps the stored one
 * @returns false when another claim has taken over the event, and decides
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

/** Sets the next attempt of a claimed event after a failure, unless another claim has taken it over. */
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

const EVENT_COLUMNS = `
  event_id::text, account_id::text, type, payload, created_at_ms, state, attempts, last_error,
  coalesce(floor(extract(epoch FROM next_attempt_at) * 1000), 0)::bigint AS next_attempt_at_ms,
  coalesce(floor(extract(epoch FROM ended_at) * 1000), 0)::bigint AS ended_at_ms`;

/** A page of an account's events, newest first by their ids. */
export async function listEvents(
  db: Queryable,
  accountId: string,
  cursor: Cursor | undefined,
  limit: number,
): Promise<Event[]> {
  const { rows } = await db.query<EventRow>({
    name: cursor === undefined ? 'list-events' : 'list-events-after',
    text: `
      SELECT ${EVENT_COLUMNS} FROM ledger.events
      WHERE account_id = $1 ${cursor === undefined ? '' : 'AND event_id < $3::uuid'}
      ORDER BY event_id DESC LIMIT $2`,
    values: [accountId, limit, ...(cursor === undefined ? [] : [cursor.id])],
  });
  return rows.map(eventFromRow);
}

/** Ids are made before their transactions commit, by clocks that may differ by this much from the database's. */
const ID_SKEW_MS = 5_000;

/**
 * Events of all accounts after one, oldest first by their ids. Leaves out the ids of transactions that may still be running,
 * so that a reader who continues after the last one misses none.
 *
 * @param after undefined: from the oldest
 */
export async function listEventsAfter(db: Queryable, after: string | undefined, limit: number): Promise<Event[]> {
  const settledMs = await readSettledUntil(db);
  const { rows } = await db.query<EventRow>({
    name: 'list-events-of-all',
    text: `
      SELECT ${EVENT_COLUMNS} FROM ledger.events
      WHERE event_id > $1 AND event_id < $2 ORDER BY ledger.events.event_id LIMIT $3`,
    values: [after ?? BEFORE_ALL, idFloor(settledMs - ID_SKEW_MS), limit],
  });
  return rows.map(eventFromRow);
}

function eventFromRow(row: EventRow): Event {
  return {
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
  };
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

/**
 * Removes events that ended longer ago than `keepMs`: those given up, or all others.
 *
 * @returns how many, at most `limit`
 */
export async function removeEndedEvents(
  db: Queryable,
  which: { givenUp: boolean; keepMs: number },
  limit: number,
): Promise<number> {
  // As arrays: the planner cannot know how few rows the limit leaves, and would read the entire table for a join.
  const { rowCount } = await db.query({
    name: 'remove-ended-events',
    text: `
      WITH ended AS MATERIALIZED (
        SELECT account_id, event_id FROM ledger.events
        WHERE state <> 'pending' AND (state = 'given_up') = $1
          AND ended_at < statement_timestamp() - $2 * interval '1 millisecond'
        ORDER BY ended_at LIMIT $3 FOR UPDATE SKIP LOCKED
      )
      DELETE FROM ledger.events e
      USING unnest((SELECT array_agg(account_id) FROM ended), (SELECT array_agg(event_id) FROM ended)) AS o (account_id, event_id)
      WHERE e.account_id = o.account_id AND e.event_id = o.event_id`,
    values: [which.givenUp, which.keepMs, limit],
  });
  return rowCount ?? 0;
}

import { BEFORE_ALL } from '@tollgate/common/ids';
import type { PoolClient, Queryable } from '@tollgate/common/postgres/pool';

export type EventType = 'top_up.paused';

/** An event for the people of an account. Amounts are decimal dollars. */
export interface NewEvent {
  accountId: string;
  type: EventType;
  data: Readonly<Record<string, string>>;
}

export interface EventRow {
  event_id: string;
  account_id: string;
  type: EventType;
  data: Readonly<Record<string, string>>;
  created_at_ms: bigint;
}

/** The lock that writers of events take; any number that no other lock of the schema has. */
const EVENTS_LOCK = 4_401;

/**
 * Writes an event, as the last step of its transaction. The lock makes one writer follow another until the commit, and each id is
 * greater than all before, also if clocks differ: events become visible in the order of their ids.
 */
export async function insertEvent(client: PoolClient, { accountId, type, data }: NewEvent): Promise<void> {
  await client.query({ name: 'lock-events', text: 'SELECT pg_advisory_xact_lock($1)', values: [EVENTS_LOCK] });
  await client.query({
    name: 'insert-event',
    text: `
      INSERT INTO payments.events (event_id, account_id, type, data, created_at_ms)
      SELECT (lpad(to_hex(at_ms), 12, '0') || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid,
             $1, $2, $3, at_ms
      FROM (
        SELECT greatest(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint,
                        (SELECT max(created_at_ms) + 1 FROM payments.events)) AS at_ms
      ) clock`,
    values: [accountId, type, data],
  });
}

/** Events of all accounts after one, oldest first. @param after undefined: from the oldest */
export async function listEventsAfter(db: Queryable, after: string | undefined, limit: number): Promise<EventRow[]> {
  const { rows } = await db.query<EventRow>({
    name: 'list-events-after',
    text: `SELECT event_id::text, account_id::text, type, data, created_at_ms FROM payments.events
           WHERE event_id > $1 ORDER BY event_id LIMIT $2`,
    values: [after ?? BEFORE_ALL, limit],
  });
  return rows;
}

/** Whether the account had an event of a pause for this reason since a time, by the database's clock. */
export async function hadPauseEvent(
  db: Queryable,
  { accountId, reason, withinMs }: { accountId: string; reason: string; withinMs: number },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'had-pause-event',
    text: `SELECT FROM payments.events WHERE account_id = $1 AND data ->> 'reason' = $2
             AND created_at_ms > extract(epoch FROM clock_timestamp()) * 1000 - $3 LIMIT 1`,
    values: [accountId, reason, withinMs],
  });
  return (rowCount ?? 0) > 0;
}

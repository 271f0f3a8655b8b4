import { BEFORE_ALL } from '../ids.ts';
import type { PoolClient, Queryable } from '../postgres/pool.ts';

/** The schemas with a table `events` of this form. */
export type EventSchema = 'auth' | 'payments';

/** An event for people of an account. Amounts are decimal dollars. */
export interface NewEvent {
  accountId: string;
  /** Such as `top_up.paused`. */
  type: string;
  data: Readonly<Record<string, string>>;
}

export interface EventRow {
  event_id: string;
  account_id: string;
  type: string;
  data: Readonly<Record<string, string>>;
  created_at_ms: bigint;
}

/** The lock that writers of events take, in each service's own database or schema. */
const EVENTS_LOCK: Readonly<Record<EventSchema, number>> = { auth: 4_402, payments: 4_401 };

/**
 * Writes an event, as the last step of its transaction. The lock makes one writer follow another until the commit, and each id is
 * greater than all before, also if clocks differ: events become visible in the order of their ids.
 */
export async function insertEvent(
  schema: EventSchema,
  client: PoolClient,
  { accountId, type, data }: NewEvent,
): Promise<void> {
  await client.query({
    name: 'lock-events',
    text: 'SELECT pg_advisory_xact_lock($1)',
    values: [EVENTS_LOCK[schema]],
  });
  await client.query({
    name: 'insert-event',
    text: `
      INSERT INTO ${schema}.events (event_id, account_id, type, data, created_at_ms)
      SELECT (lpad(to_hex(at_ms), 12, '0') || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid,
             $1, $2, $3, at_ms
      FROM (
        SELECT greatest(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint,
                        (SELECT max(created_at_ms) + 1 FROM ${schema}.events)) AS at_ms
      ) clock`,
    values: [accountId, type, data],
  });
}

/** Events of all accounts after one, oldest first. @param after undefined: from the oldest */
export async function listEventsAfter(
  schema: EventSchema,
  db: Queryable,
  after: string | undefined,
  limit: number,
): Promise<EventRow[]> {
  const { rows } = await db.query<EventRow>({
    name: 'list-events-after',
    text: `SELECT event_id::text, account_id::text, type, data, created_at_ms FROM ${schema}.events
           WHERE event_id > $1 ORDER BY event_id LIMIT $2`,
    values: [after ?? BEFORE_ALL, limit],
  });
  return rows;
}

import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { NewEvent } from '../events/event.ts';

/** Writes events to the outbox, from where they are sent once the transaction has committed. */
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

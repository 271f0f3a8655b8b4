import type { ListEventsAfterRequest, ListEventsAfterResponse } from '@tollgate/proto/events';
import { limitArgument, optionalUuidArgument } from '../grpc/arguments.ts';
import type { UnaryHandler } from '../grpc/handler.ts';
import type { Pool } from '../postgres/pool.ts';
import { type EventSchema, listEventsAfter } from './event-log.ts';

const MAX_LIMIT = 1_000;

/** A service's events of all accounts after one, oldest first. None is missed by a caller that continues after the last one. */
export function createListEventsAfterHandler(
  schema: EventSchema,
  pool: Pool,
): UnaryHandler<ListEventsAfterRequest, ListEventsAfterResponse> {
  return async (request) => {
    const after = optionalUuidArgument('after_event_id', request.afterEventId);
    const rows = await listEventsAfter(schema, pool, after, limitArgument(request.limit, MAX_LIMIT));
    return {
      events: rows.map(({ event_id, account_id, type, data, created_at_ms }) => ({
        eventId: event_id,
        accountId: account_id,
        type,
        dataJson: JSON.stringify(data),
        createdAtMs: created_at_ms,
      })),
    };
  };
}

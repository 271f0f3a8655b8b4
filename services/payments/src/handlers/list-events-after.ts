import { limitArgument, optionalUuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { ListEventsAfterRequest, ListEventsAfterResponse } from '@tollgate/proto/payments';
import type { Dependencies } from '../dependencies.ts';
import { listEventsAfter } from '../store/events.ts';

const MAX_LIMIT = 1_000;

/** Events of all accounts after one, oldest first. None is missed by a caller that continues after the last one. */
export function createListEventsAfterHandler({
  pool,
}: Pick<Dependencies, 'pool'>): UnaryHandler<ListEventsAfterRequest, ListEventsAfterResponse> {
  return async (request) => {
    const after = optionalUuidArgument('after_event_id', request.afterEventId);
    const rows = await listEventsAfter(pool, after, limitArgument(request.limit, MAX_LIMIT));
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

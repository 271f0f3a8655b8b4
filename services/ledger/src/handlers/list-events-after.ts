import { limitArgument, optionalUuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListEventsAfterRequest, ListEventsAfterResponse } from '@tollgate/proto/ledger';
import { listEventsAfter } from '../store/events.ts';

const MAX_LIMIT = 1_000;

/** Events of all accounts after one, oldest first. None is missed by a caller that continues after the last one. */
export function createListEventsAfterHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListEventsAfterRequest, ListEventsAfterResponse> {
  return async (request) => {
    const after = optionalUuidArgument('after_event_id', request.afterEventId);
    return { events: await listEventsAfter(pool, after, limitArgument(request.limit, MAX_LIMIT)) };
  };
}

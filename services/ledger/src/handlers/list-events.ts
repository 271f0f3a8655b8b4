import { limitArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListEventsRequest, ListEventsResponse } from '@tollgate/proto/ledger';
import { listEvents } from '../store/events.ts';
import { cursorArgument, cursorText } from './arguments.ts';

const MAX_LIMIT = 1_000;

/** A page of an account's events, newest first. */
export function createListEventsHandler({ pool }: { pool: Pool }): UnaryHandler<ListEventsRequest, ListEventsResponse> {
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const limit = limitArgument(request.limit, MAX_LIMIT);
    const found = await listEvents(pool, accountId, cursorArgument(request.cursor), limit + 1);
    const events = found.slice(0, limit);
    const last = events.at(-1);
    const more = found.length > limit && last !== undefined;
    return { events, nextCursor: more ? cursorText({ timeMs: Number(last.createdAtMs), id: last.eventId }) : '' };
  };
}

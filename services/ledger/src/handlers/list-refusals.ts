import { MAX_CLIENT_ID_LENGTH } from '@tollgate/common/charge-bounds';
import {
  limitArgument,
  optionalTextArgument,
  optionalUuidArgument,
  rangeArgument,
  uuidArgument,
} from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListRefusalsRequest, ListRefusalsResponse } from '@tollgate/proto/ledger';
import { listRefusals } from '../store/refusals.ts';
import { requestCursorArgument } from './arguments.ts';
import { placeFilter } from './key-scope.ts';
import { refusalForActor } from './refusal-for-actor.ts';

const MAX_LIMIT = 1_000;
const MAX_FILTER_LENGTH = 200;

/** A page of the refused requests in a time range, newest first; a developer sees the ones of their keys and of keys below them. */
export function createListRefusalsHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListRefusalsRequest, ListRefusalsResponse> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const range = rangeArgument(request.startMs, request.endMs);
    const limit = limitArgument(request.limit, MAX_LIMIT);
    const keyId = optionalUuidArgument('key_id', request.keyId);
    const filter = {
      ...placeFilter(context, request),
      keyIds: keyId === undefined ? undefined : [keyId],
      model: optionalTextArgument('model', request.model, MAX_FILTER_LENGTH),
      reason: optionalTextArgument('reason', request.reason, MAX_FILTER_LENGTH),
      clientSessionId: optionalTextArgument('client_session_id', request.clientSessionId, MAX_CLIENT_ID_LENGTH),
    };
    const found = await listRefusals(
      pool,
      accountId,
      range,
      filter,
      requestCursorArgument(request.cursor)?.id,
      limit + 1,
    );
    const refusals = found.slice(0, limit).map((refusal) => refusalForActor(refusal, context));
    const last = refusals.at(-1);
    const more = found.length > limit && last !== undefined;
    return { refusals, nextCursor: more ? last.requestId : '' };
  };
}

import { limitArgument, rangeArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListDepositsRequest, ListDepositsResponse } from '@tollgate/proto/ledger';
import { listDeposits } from '../store/deposits.ts';
import { cursorArgument, cursorText } from './arguments.ts';

const MAX_LIMIT = 1_000;

/** A page of the deposits in a time range, newest first. */
export function createListDepositsHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListDepositsRequest, ListDepositsResponse> {
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const range = rangeArgument(request.startMs, request.endMs);
    const limit = limitArgument(request.limit, MAX_LIMIT);
    const found = await listDeposits(pool, accountId, range, cursorArgument(request.cursor), limit + 1);
    const deposits = found.slice(0, limit);
    const last = deposits.at(-1);
    const more = found.length > limit && last !== undefined;
    return { deposits, nextCursor: more ? cursorText({ timeMs: Number(last.createdAtMs), id: last.depositId }) : '' };
  };
}

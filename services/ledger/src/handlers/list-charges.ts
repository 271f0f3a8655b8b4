import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListChargesRequest, ListChargesResponse } from '@tollgate/proto/ledger';
import { chargeStatusLabel } from '../store/charge-status.ts';
import { type ChargeFilter, listCharges } from '../store/list-charges.ts';
import { cursorArgument, cursorText, limitArgument, rangeArgument, textArgument, uuidArgument } from './arguments.ts';

const MAX_LIMIT = 1_000;
const LONGEST_MODEL = 1_000;

/** Charges of a time range, newest first, a page at a time. */
export function listChargesHandler(pool: Pool): UnaryHandler<ListChargesRequest, ListChargesResponse> {
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const range = rangeArgument(request.startMs, request.endMs);
    const limit = limitArgument(request.limit, MAX_LIMIT);
    const filter: ChargeFilter = {
      model: request.model === '' ? undefined : textArgument('model', request.model, LONGEST_MODEL),
      keyId: request.keyId === '' ? undefined : uuidArgument('key_id', request.keyId),
      status: chargeStatusLabel(request.status),
    };
    const found = await listCharges(pool, accountId, range, filter, cursorArgument(request.cursor), limit + 1);
    const charges = found.slice(0, limit);
    const last = charges.at(-1);
    const more = found.length > limit && last !== undefined;
    return { charges, nextCursor: more ? cursorText({ timeMs: Number(last.startedAtMs), id: last.requestId }) : '' };
  };
}

import { chargeStatusName } from '@tollgate/common/billing/charge';
import { textArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { Charge, ListChargesRequest, ListChargesResponse } from '@tollgate/proto/ledger';
import { type ChargeFilter, listCharges } from '../store/charges.ts';
import { cursorArgument, cursorText, limitArgument, rangeArgument } from './arguments.ts';

const MAX_LIMIT = 1_000;
const MAX_MODEL_LENGTH = 1_000;
/**
 * Maximum characters of tags and rejected usage reports on one page, up to three bytes each. The rest of 1,000 charges fits
 * into what remains of a message.
 */
const MAX_LONG_CHARACTERS = 1_500_000;

/** A page of the charges in a time range, newest first. */
export function createListChargesHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListChargesRequest, ListChargesResponse> {
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const range = rangeArgument(request.startMs, request.endMs);
    const limit = limitArgument(request.limit, MAX_LIMIT);
    const filter: ChargeFilter = {
      model: request.model === '' ? undefined : textArgument('model', request.model, MAX_MODEL_LENGTH),
      keyId: request.keyId === '' ? undefined : uuidArgument('key_id', request.keyId),
      status: chargeStatusName(request.status),
    };
    const found = await listCharges(pool, accountId, range, filter, cursorArgument(request.cursor), limit + 1);
    const charges = found.slice(0, Math.min(limit, fitting(found)));
    const last = charges.at(-1);
    const more = found.length > charges.length && last !== undefined;
    return { charges, nextCursor: more ? cursorText({ timeMs: Number(last.startedAtMs), id: last.requestId }) : '' };
  };
}

/** How many charges fit into one message with their long texts; at least one. */
function fitting(charges: readonly Charge[]): number {
  let characters = 0;
  const tooMany = charges.findIndex(({ tags, reportedUsage }) => {
    characters += reportedUsage.length;
    for (const [name, value] of Object.entries(tags)) characters += name.length + value.length;
    return characters > MAX_LONG_CHARACTERS;
  });
  return tooMany === -1 ? charges.length : Math.max(1, tooMany);
}

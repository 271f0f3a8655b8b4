import { chargeStatusName } from '@tollgate/common/billing/charge';
import { MAX_CHARGE_TEXT_LENGTH, MAX_CLIENT_ID_LENGTH } from '@tollgate/common/charge-bounds';
import { RpcError } from '@tollgate/common/errors';
import {
  limitArgument,
  optionalTextArgument,
  optionalUuidArgument,
  rangeArgument,
  uuidArgument,
} from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { Charge, ListChargesRequest, ListChargesResponse } from '@tollgate/proto/ledger';
import type { LateIndexes } from '../store/late-indexes.ts';
import { type ChargeFilter, searchCharges } from '../store/search-charges.ts';
import { requestCursorArgument } from './arguments.ts';
import { forActor } from './for-actor.ts';
import { placeFilter } from './key-scope.ts';

const MAX_LIMIT = 1_000;
/**
 * Maximum characters of tags, rejected usage reports, attempts and ids of clients on one page, up to three bytes each. The
 * rest of 1,000 charges fits into what remains of a message.
 */
const MAX_LONG_CHARACTERS = 1_500_000;
/** Of an attempt besides its deployment, at most. */
const ATTEMPT_CHARACTERS = 70;

/** A page of the charges in a time range, newest first; a developer sees the ones of their keys and of keys below them. */
export function createListChargesHandler({
  pool,
  lateIndexes,
}: {
  pool: Pool;
  lateIndexes: LateIndexes;
}): UnaryHandler<ListChargesRequest, ListChargesResponse> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const range = rangeArgument(request.startMs, request.endMs);
    const limit = limitArgument(request.limit, MAX_LIMIT);
    const keyId = optionalUuidArgument('key_id', request.keyId);
    const filter: ChargeFilter = {
      model: optionalTextArgument('model', request.model, MAX_CHARGE_TEXT_LENGTH),
      ...placeFilter(context, request),
      keyIds: keyId === undefined ? undefined : [keyId],
      status: chargeStatusName(request.status),
      tag: tagOf(request),
      clientSessionId: optionalTextArgument('client_session_id', request.clientSessionId, MAX_CLIENT_ID_LENGTH),
    };
    const before = requestCursorArgument(request.cursor)?.id;
    const indexed = await lateIndexes.exist();
    const page = await searchCharges(pool, { accountId, range, filter, before, limit: limit + 1, indexed });
    const charges = page.charges.slice(0, Math.min(limit, fitting(page.charges)));
    const next = page.charges.length > charges.length ? charges.at(-1)?.requestId : page.next;
    return { charges: charges.map((charge) => forActor(charge, context)), nextCursor: next ?? '' };
  };
}

function tagOf({ tagName, tagValue }: ListChargesRequest): ChargeFilter['tag'] {
  const name = optionalTextArgument('tag_name', tagName, MAX_CHARGE_TEXT_LENGTH);
  if (name === undefined) {
    if (tagValue !== '') throw new RpcError('invalid_argument', 'tag_name: required with tag_value');
    return undefined;
  }
  return { name, value: optionalTextArgument('tag_value', tagValue, MAX_CHARGE_TEXT_LENGTH) ?? '' };
}

/** How many charges fit into one message with their long texts; at least one. */
function fitting(charges: readonly Charge[]): number {
  let characters = 0;
  const tooMany = charges.findIndex(({ tags, reportedUsage, attempts, clientSessionId, agentId, parentAgentId }) => {
    characters += reportedUsage.length + clientSessionId.length + agentId.length + parentAgentId.length;
    for (const { deployment } of attempts) characters += deployment.length + ATTEMPT_CHARACTERS;
    for (const [name, value] of Object.entries(tags)) characters += name.length + value.length;
    return characters > MAX_LONG_CHARACTERS;
  });
  return tooMany === -1 ? charges.length : Math.max(1, tooMany);
}

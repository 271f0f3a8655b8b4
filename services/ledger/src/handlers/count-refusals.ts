import { rangeArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { CountRefusalsRequest, CountRefusalsResponse } from '@tollgate/proto/ledger';
import { countRefusals } from '../store/refusal-counts.ts';
import { placeFilter } from './key-scope.ts';

/** Refused requests by reason. For a developer, of their keys and what is below them, without those that an ingress only counted. */
export function createCountRefusalsHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<CountRefusalsRequest, CountRefusalsResponse> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const range = rangeArgument(request.startMs, request.endMs);
    const counts = await countRefusals(pool, accountId, range, placeFilter(context, request));
    return { counts: counts.map(({ reason, requests }) => ({ accountId, reason, count: requests })) };
  };
}

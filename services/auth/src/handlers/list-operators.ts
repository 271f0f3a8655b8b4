import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListOperatorsRequest, ListOperatorsResponse } from '@tollgate/proto/auth';
import { MAX_MEMBERS } from '../people/limits.ts';
import { listOperators, toPerson } from '../store/people.ts';

/** Lists all operators. */
export function createListOperatorsHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListOperatorsRequest, ListOperatorsResponse> {
  return async () => ({ operators: (await listOperators(pool, MAX_MEMBERS)).map(toPerson) });
}

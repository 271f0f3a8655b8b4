import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { CheckSessionRequest, CheckSessionResponse } from '@tollgate/proto/auth';
import { findSessionGeneration } from '../store/people.ts';

/** Reports whether the sessions of a person's generation go on. */
export function createCheckSessionHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<CheckSessionRequest, CheckSessionResponse> {
  return async (request) => {
    const current = await findSessionGeneration(pool, uuidArgument('person_id', request.personId));
    return { goesOn: current === request.sessionGeneration };
  };
}

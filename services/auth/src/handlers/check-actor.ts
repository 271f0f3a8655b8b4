import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { CheckActorRequest, CheckActorResponse } from '@tollgate/proto/auth';
import { hasCurrentRole } from '../people/current-role.ts';

/** Reports whether the actor of a token still has its role. */
export function createCheckActorHandler({ pool }: { pool: Pool }): UnaryHandler<CheckActorRequest, CheckActorResponse> {
  return async (_, context) => {
    const actor = actorOf(context);
    return { hasRole: await hasCurrentRole(pool, actor, actor.accountId) };
  };
}

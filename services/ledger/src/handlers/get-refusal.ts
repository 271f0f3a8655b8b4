import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { GetRefusalRequest, Refusal } from '@tollgate/proto/ledger';
import { findRefusal } from '../store/refusals.ts';
import { lookupArgument } from './arguments.ts';
import { scopeOf } from './key-scope.ts';
import { refusalForActor } from './refusal-for-actor.ts';

/** One refused request by request or trace id; a developer finds requests of their keys and of keys below them. */
export function createGetRefusalHandler({ pool }: { pool: Pool }): UnaryHandler<GetRefusalRequest, Refusal> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const found = await findRefusal(pool, accountId, lookupArgument(request.by), scopeOf(context));
    if (found === undefined) throw new RpcError('not_found', 'no such refusal');
    return refusalForActor(found, context);
  };
}

import { RpcError } from '@tollgate/common/errors';
import { optionalUuidArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { GetKeyPropagationRequest, GetKeyPropagationResponse } from '@tollgate/proto/auth';
import { confirmationsOf } from '../changes/confirmations-of.ts';
import { keyScopeOf } from '../rules/actor-rules.ts';
import { findKey } from '../store/key-lists.ts';
import { findRevocation } from '../store/revocations.ts';

/** Reports which ingresses have confirmed the last change of a key. */
export function createGetKeyPropagationHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<GetKeyPropagationRequest, GetKeyPropagationResponse> {
  return async (request, context) => {
    const scope = keyScopeOf(actorOf(context), optionalUuidArgument('account_id', request.accountId));
    const keyId = uuidArgument('key_id', request.keyId);
    if ((await findKey(pool, scope, keyId)) === undefined) throw new RpcError('not_found', 'no such key');
    return { confirmations: await confirmationsOf(pool, await findRevocation(pool, keyId)) };
  };
}

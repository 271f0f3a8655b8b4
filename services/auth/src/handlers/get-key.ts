import { RpcError } from '@tollgate/common/errors';
import { optionalUuidArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { GetKeyRequest, GetKeyResponse } from '@tollgate/proto/auth';
import { keyScopeOf } from '../rules/actor-rules.ts';
import { findKey } from '../store/key-lists.ts';
import { toApiKey } from '../store/keys.ts';

/** Returns a key. */
export function createGetKeyHandler({ pool }: { pool: Pool }): UnaryHandler<GetKeyRequest, GetKeyResponse> {
  return async (request, context) => {
    const scope = keyScopeOf(actorOf(context), optionalUuidArgument('account_id', request.accountId));
    const key = await findKey(pool, scope, uuidArgument('key_id', request.keyId));
    if (key === undefined) throw new RpcError('not_found', 'no such key');
    return { key: toApiKey(key, Date.now()) };
  };
}

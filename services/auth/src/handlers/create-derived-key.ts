import { requestCheck } from '@tollgate/common/descriptors/check';
import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import { type CreateDerivedKeyRequest, type CreateDerivedKeyResponse, CreateKeyRequest } from '@tollgate/proto/auth';
import { Derivations } from '../derived/derivations.ts';
import { type KeyAttributes, newAttributes } from '../store/keys.ts';

/** Creates a key below another one, which is the actor. Its text is only in the response. */
export function createCreateDerivedKeyHandler({
  pool,
  config,
}: {
  pool: Pool;
  config: { SERVICE_NAME: string };
}): UnaryHandler<CreateDerivedKeyRequest, CreateDerivedKeyResponse> {
  const derivations = new Derivations(pool, config.SERVICE_NAME);
  let check: ReturnType<typeof requestCheck> | undefined;
  return async (request, { signal }) => {
    check ??= requestCheck('tollgate.auth.v1.AuthService/CreateDerivedKey');
    check(request, Date.now());
    const accountId = uuidArgument('account_id', request.accountId);
    const parentId = uuidArgument('parent_key_id', request.parentKeyId);
    return derivations.create(accountId, { parentId, attributes: attributesOf(request, Date.now()), signal });
  };
}

function attributesOf(request: CreateDerivedKeyRequest, nowMs: number): KeyAttributes {
  const { expiresInMs } = request;
  if (expiresInMs !== 0n && request.expiresAtMs !== 0n)
    throw new RpcError('invalid_argument', 'expires_in: expires_at is given too');
  const expiresAtMs = expiresInMs === 0n ? request.expiresAtMs : BigInt(nowMs) + expiresInMs;
  return newAttributes(CreateKeyRequest.fromPartial({ ...request, expiresAtMs }));
}

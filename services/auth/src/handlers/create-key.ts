import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import { newId } from '@tollgate/common/ids';
import { newKey } from '@tollgate/common/keys/index';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { CreateKeyRequest, CreateKeyResponse } from '@tollgate/proto/auth';
import { findAccount } from '../store/accounts.ts';
import { insertKey, type KeyAttributes, toApiKey } from '../store/keys.ts';
import {
  capsArgument,
  futureTimeArgument,
  limitsArgument,
  modelsArgument,
  plainTextArgument,
  tagsArgument,
} from './arguments.ts';

/** Creates a key. Its text is only in the response. */
export function createCreateKeyHandler({
  pool,
  config,
}: {
  pool: Pool;
  config: { SERVICE_NAME: string };
}): UnaryHandler<CreateKeyRequest, CreateKeyResponse> {
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const attributes: KeyAttributes = {
      name: plainTextArgument('name', request.name, 200),
      expires_at: futureTimeArgument('expires_at_ms', request.expiresAtMs, Date.now()),
      allowed_models: modelsArgument('allowed_models', request.allowedModels),
      ...capsArgument('caps', request.caps),
      ...limitsArgument('limits', request.limits),
      tags: tagsArgument('tags', request.tags),
    };
    const account = await findAccount(pool, accountId);
    if (account === undefined) throw new RpcError('not_found', 'no such account');
    const { text, sha256, displayPrefix, lastFour } = newKey(config.SERVICE_NAME, account.tag);
    const row = await insertKey(pool, { keyId: newId(), accountId, sha256, displayPrefix, lastFour, ...attributes });
    return { key: toApiKey(row), secret: text };
  };
}

import { RpcError } from '@tollgate/common/errors';
import { newId } from '@tollgate/common/ids';
import { newKey } from '@tollgate/common/keys/index';
import type { CreateKeyRequest, CreateKeyResponse } from '@tollgate/proto/auth';
import type { Dependencies } from '../dependencies.ts';
import { findAccount } from '../store/accounts.ts';
import { insertKey, type KeyAttributes, toApiKey } from '../store/keys.ts';
import {
  optionalFutureTime,
  requireCaps,
  requireLimits,
  requireModels,
  requireTags,
  requireText,
  requireUuid,
} from './validate.ts';

/** Creates a key. Its text is in the response and nowhere else. */
export async function createKey(
  { pool, revocations, config }: Pick<Dependencies, 'pool' | 'revocations' | 'config'>,
  request: CreateKeyRequest,
): Promise<CreateKeyResponse> {
  const accountId = requireUuid('account_id', request.accountId);
  const attributes: KeyAttributes = {
    name: requireText('name', request.name, 200),
    expires_at: optionalFutureTime('expires_at_ms', request.expiresAtMs, Date.now()),
    allowed_models: requireModels('allowed_models', request.allowedModels),
    ...requireCaps('caps', request.caps),
    ...requireLimits('limits', request.limits),
    tags: requireTags('tags', request.tags),
  };
  // Without either it is a key as every version knows it.
  if (request.limits !== undefined || Object.keys(request.tags).length > 0) await revocations.requireFollowers();
  const account = await findAccount(pool, accountId);
  if (account === undefined) throw new RpcError('not_found', 'no such account');
  const { text, sha256, displayPrefix, lastFour } = newKey(config.SERVICE_NAME, account.tag);
  const row = await insertKey(pool, { keyId: newId(), accountId, sha256, displayPrefix, lastFour, ...attributes });
  return { key: toApiKey(row), secret: text };
}

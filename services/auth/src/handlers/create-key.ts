import { Refusal } from '@tollgate/common/errors';
import { newId } from '@tollgate/common/ids';
import { newKey } from '@tollgate/common/keys/index';
import type { CreateKeyRequest, CreateKeyResponse } from '@tollgate/proto/auth';
import type { Dependencies } from '../dependencies.ts';
import { toApiKey } from '../store/api-key.ts';
import { findAccount } from '../store/find-account.ts';
import { insertKey } from '../store/insert-key.ts';
import { optionalFutureTime, requireCaps, requireText, requireUuid } from './validate.ts';

const MOST_MODELS = 200;

/** Creates a key. Its text is in the answer and nowhere else. */
export async function createKey(
  { pool, serviceName }: Pick<Dependencies, 'pool' | 'serviceName'>,
  request: CreateKeyRequest,
): Promise<CreateKeyResponse> {
  const accountId = requireUuid('account_id', request.accountId);
  const name = requireText('name', request.name, 200);
  const expiresAt = optionalFutureTime('expires_at_ms', request.expiresAtMs, Date.now());
  if (request.allowedModels.length > MOST_MODELS) {
    throw new Refusal('invalid_argument', `allowed_models may name ${MOST_MODELS} models at most`);
  }
  const allowedModels = request.allowedModels.map((id, index) => requireText(`allowed_models[${index}]`, id, 200));
  const caps = requireCaps('caps', request.caps);
  const account = await findAccount(pool, accountId);
  if (account === undefined) throw new Refusal('not_found', 'no such account');
  const { text, sha256, displayPrefix, lastFour } = newKey(serviceName, account.tag);
  const keyId = newId();
  const row = await insertKey(pool, {
    keyId,
    accountId,
    name,
    sha256,
    displayPrefix,
    lastFour,
    allowedModels,
    expiresAt,
    caps,
  });
  return { key: toApiKey(row), secret: text };
}

import { RpcError } from '@tollgate/common/errors';
import { inTransaction } from '@tollgate/common/postgres/pool';
import type { UpdateKeyRequest, UpdateKeyResponse } from '@tollgate/proto/auth';
import { lockLiveKey } from '../changes/lock-live-key.ts';
import { type ChangeDependencies, waitForKeyChange } from '../changes/wait-for-propagation.ts';
import { type KeyAttributes, toApiKey, valuesOf, writeKey } from '../store/keys.ts';
import { insertRevocation } from '../store/revocations.ts';
import {
  optionalFutureTime,
  optionalUuid,
  requireCaps,
  requireLimits,
  requireModels,
  requireTags,
  requireText,
  requireUuid,
} from './validate.ts';

/** Changes what is named of a key. Requests that begin after this has returned are held to it. */
export async function updateKey(
  deps: ChangeDependencies,
  request: UpdateKeyRequest,
  signal: AbortSignal,
): Promise<UpdateKeyResponse> {
  const keyId = requireUuid('key_id', request.keyId);
  const accountId = optionalUuid('account_id', request.accountId);
  const named = namedIn(request, Date.now());
  await deps.revocations.requireFollowers();
  const { key, sequence } = await inTransaction(deps.pool, async (client) => {
    const known = await lockLiveKey(client, keyId, accountId);
    const written = await writeKey(client, { ...known, ...named });
    return {
      key: written,
      sequence: await insertRevocation(client, { kind: 'key', keyId, revision: written.revision }),
    };
  });
  deps.logger.info({ key_id: keyId, account_id: key.account_id, changed: Object.keys(named) }, 'key changed');
  const change = { accountId: key.account_id, sequence, values: valuesOf(key), done: 'the key is changed' };
  await waitForKeyChange(deps, change, signal);
  return { key: toApiKey(key) };
}

/** The attributes that a request names, checked; the others are missing. */
function namedIn(request: UpdateKeyRequest, nowMs: number): Partial<KeyAttributes> {
  const { name, expiresAtMs, allowedModels, caps, limits, tags } = request;
  const named: Partial<KeyAttributes> = {
    ...(name === undefined ? {} : { name: requireText('name', name, 200) }),
    ...(expiresAtMs === undefined ? {} : { expires_at: optionalFutureTime('expires_at_ms', expiresAtMs, nowMs) }),
    ...(allowedModels === undefined ? {} : { allowed_models: requireModels('allowed_models.ids', allowedModels.ids) }),
    ...(caps === undefined ? {} : requireCaps('caps', caps)),
    ...(limits === undefined ? {} : requireLimits('limits', limits)),
    ...(tags === undefined ? {} : { tags: requireTags('tags', tags.tags) }),
  };
  if (Object.keys(named).length === 0) throw new RpcError('invalid_argument', 'nothing to change was named');
  return named;
}

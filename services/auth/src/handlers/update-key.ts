import { RpcError } from '@tollgate/common/errors';
import { optionalUuidArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import { inTransaction } from '@tollgate/common/postgres/pool';
import type { UpdateKeyRequest, UpdateKeyResponse } from '@tollgate/proto/auth';
import { lockLiveKey } from '../changes/lock-live-key.ts';
import { type ChangeDependencies, waitForKeyChange } from '../changes/wait-for-propagation.ts';
import { type KeyAttributes, toApiKey, valuesOf, writeKey } from '../store/keys.ts';
import { insertRevocation } from '../store/revocations.ts';
import {
  capsArgument,
  futureTimeArgument,
  limitsArgument,
  modelsArgument,
  plainTextArgument,
  tagsArgument,
} from './arguments.ts';

/** Changes what is named of a key. Requests that begin after this has returned are held to it. */
export function createUpdateKeyHandler(deps: ChangeDependencies): UnaryHandler<UpdateKeyRequest, UpdateKeyResponse> {
  return async (request, { signal }) => {
    const keyId = uuidArgument('key_id', request.keyId);
    const accountId = optionalUuidArgument('account_id', request.accountId);
    const named = namedIn(request, Date.now());
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
  };
}

/** The attributes that a request names, checked; the others are missing. */
function namedIn(request: UpdateKeyRequest, nowMs: number): Partial<KeyAttributes> {
  const { name, expiresAtMs, allowedModels, caps, limits, tags } = request;
  const named: Partial<KeyAttributes> = {
    ...(name === undefined ? {} : { name: plainTextArgument('name', name, 200) }),
    ...(expiresAtMs === undefined ? {} : { expires_at: futureTimeArgument('expires_at_ms', expiresAtMs, nowMs) }),
    ...(allowedModels === undefined ? {} : { allowed_models: modelsArgument('allowed_models.ids', allowedModels.ids) }),
    ...(caps === undefined ? {} : capsArgument('caps', caps)),
    ...(limits === undefined ? {} : limitsArgument('limits', limits)),
    ...(tags === undefined ? {} : { tags: tagsArgument('tags', tags.tags) }),
  };
  if (Object.keys(named).length === 0) throw new RpcError('invalid_argument', 'no field to change is set');
  return named;
}

import { RpcError } from '@tollgate/common/errors';
import { optionalUuidArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { inTransaction } from '@tollgate/common/postgres/pool';
import type { DeleteKeyRequest, DeleteKeyResponse } from '@tollgate/proto/auth';
import { derivedDetails } from '../audit/attributes.ts';
import { confirmationsOf } from '../changes/confirmations-of.ts';
import { reviseKeysBelow } from '../changes/revise-keys-below.ts';
import { type ChangeDependencies, waitForKeyChange } from '../changes/wait-for-propagation.ts';
import { mayUseKey } from '../rules/actor-rules.ts';
import { insertAudit } from '../store/audit.ts';
import { deleteKeysBelow } from '../store/derived-keys.ts';
import { lockKey, markKeyDeleted, toApiKey, valuesOf } from '../store/keys.ts';
import { findRevocation, insertRevocation } from '../store/revocations.ts';

/** Deletes a key with all its values and all keys below it, and waits until no ingress can accept any of them. */
export function createDeleteKeyHandler(deps: ChangeDependencies): UnaryHandler<DeleteKeyRequest, DeleteKeyResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const keyId = uuidArgument('key_id', request.keyId);
    const accountId = optionalUuidArgument('account_id', request.accountId);
    const { key, below, sequence } = await inTransaction(deps.pool, async (client) => {
      const known = await lockKey(client, keyId, accountId);
      if (known === undefined || !mayUseKey(actor, known)) throw new RpcError('not_found', 'no such key');
      if (known.deleted_at !== null) return { key: known, below: 0, sequence: await findRevocation(client, keyId) };
      const below = await deleteKeysBelow(client, known);
      const deleted = await markKeyDeleted(client, keyId);
      const { account_id: ownerId, name, key_sha256: sha256 } = deleted;
      const target = { targetId: keyId, targetName: name, details: derivedDetails(below) };
      await insertAudit(client, { accountId: ownerId, actor, action: 'key.delete', ...target });
      // Before the deletion, so that whoever knows of that knows of this.
      if (below > 0) await reviseKeysBelow(client, ownerId);
      return { key: deleted, below, sequence: await insertRevocation(client, { kind: 'deletion', keyId, sha256 }) };
    });
    // After a restore from a backup only this line shows the deletion, which can then be repeated.
    deps.logger.info({ key_id: key.key_id, account_id: key.account_id }, 'key deleted');
    const change = {
      accountId: key.account_id,
      sequence,
      values: valuesOf(key),
      hasKeysBelow: below > 0,
      done: 'the key is deleted',
    };
    const cutOff = await waitForKeyChange(deps, change, context.signal);
    return { key: toApiKey(key, Date.now()), confirmations: await confirmationsOf(deps.pool, sequence, cutOff) };
  };
}

import { messageOf, Refusal } from '@tollgate/common/errors';
import { inTransaction } from '@tollgate/common/postgres/pool';
import type { DeleteKeyRequest, DeleteKeyResponse } from '@tollgate/proto/auth';
import type { Dependencies } from '../dependencies.ts';
import { type KeyRow, toApiKey } from '../store/api-key.ts';
import { findAccount } from '../store/find-account.ts';
import { findKey } from '../store/find-key.ts';
import { findRevocation } from '../store/find-revocation.ts';
import { insertRevocation } from '../store/insert-revocation.ts';
import { markKeyDeleted } from '../store/mark-key-deleted.ts';
import { optionalUuid, requireUuid } from './validate.ts';

/**
 * Deletes a key and waits until no ingress can accept it any more.
 *
 * The wait alone makes the deletion safe: an ingress that has confirmed it refuses the key by its own memory for longer
 * than any cached record lives, and one that has not is waited for until it trusts no cached record. The tombstone in
 * Redis spares later calls to auth and ends fills that have begun; without Redis the deletion is as safe, so it is
 * neither refused nor held up then.
 */
export async function deleteKey(
  { pool, cache, revocations, logger }: Pick<Dependencies, 'pool' | 'cache' | 'revocations' | 'logger'>,
  request: DeleteKeyRequest,
  signal: AbortSignal,
): Promise<DeleteKeyResponse> {
  const keyId = requireUuid('key_id', request.keyId);
  const accountId = optionalUuid('account_id', request.accountId);
  const { key, sequence } = await inTransaction(pool, async (client) => {
    const deleted = await markKeyDeleted(client, keyId, accountId);
    if (deleted !== undefined) {
      return { key: deleted, sequence: await insertRevocation(client, keyId, deleted.key_sha256) };
    }
    const known = await findKey(client, keyId, accountId);
    if (known === undefined) throw new Refusal('not_found', 'no such key');
    return { key: known, sequence: await findRevocation(client, keyId) };
  });
  // After a restore from backup this line is all that is left of the deletion: it is made again from here.
  logger.info({ key_id: key.key_id, account_id: key.account_id }, 'key deleted');
  revocations.wake();
  await bury({ pool, cache, logger }, key);
  if (sequence !== undefined && !(await revocations.waitUntilApplied(sequence, signal))) {
    throw new Refusal('deadline_exceeded', 'the key is deleted, but not every ingress has confirmed it; call again');
  }
  return { key: toApiKey(key) };
}

async function bury(
  { pool, cache, logger }: Pick<Dependencies, 'pool' | 'cache' | 'logger'>,
  key: KeyRow,
): Promise<void> {
  const account = await findAccount(pool, key.account_id);
  if (account === undefined) throw new Error('a key has no account');
  await cache.bury(account.tag, key.key_sha256.toString('hex')).catch((error: unknown) => {
    logger.warn({ key_id: key.key_id, reason: messageOf(error) }, 'no tombstone was written, as Redis did not answer');
  });
}

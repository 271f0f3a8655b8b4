import { RpcError } from '@tollgate/common/errors';
import type { Queryable } from '@tollgate/common/postgres/pool';
import { type KeyRow, lockKey } from '../store/keys.ts';

/** Locks a key to change it; throws an RpcError when it does not exist or is deleted. */
export async function lockLiveKey(db: Queryable, keyId: string, accountId: string | undefined): Promise<KeyRow> {
  const key = await lockKey(db, keyId, accountId);
  if (key === undefined) throw new RpcError('not_found', 'no such key');
  if (key.deleted_at !== null) throw new RpcError('failed_precondition', 'the key is deleted');
  return key;
}

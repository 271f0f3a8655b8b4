import { Refusal } from '@tollgate/common/errors';
import type { SetSpendingCapsRequest, SetSpendingCapsResponse } from '@tollgate/proto/auth';
import type { Dependencies } from '../dependencies.ts';
import { forgetKey } from '../forget-records.ts';
import { toApiKey } from '../store/api-key.ts';
import { findKey } from '../store/find-key.ts';
import { updateSpendingCaps } from '../store/update-spending-caps.ts';
import { optionalUuid, requireCaps, requireUuid } from './validate.ts';

/** Replaces all caps of a key. Requests that begin after this has returned are held to them. */
export async function setSpendingCaps(
  deps: Pick<Dependencies, 'pool' | 'cache' | 'logger'>,
  request: SetSpendingCapsRequest,
): Promise<SetSpendingCapsResponse> {
  const keyId = requireUuid('key_id', request.keyId);
  const accountId = optionalUuid('account_id', request.accountId);
  const key = await updateSpendingCaps(deps.pool, keyId, accountId, requireCaps('caps', request.caps));
  if (key === undefined) {
    const known = await findKey(deps.pool, keyId, accountId);
    throw known === undefined
      ? new Refusal('not_found', 'no such key')
      : new Refusal('failed_precondition', 'the key is deleted');
  }
  await forgetKey(deps, key);
  return { key: toApiKey(key) };
}

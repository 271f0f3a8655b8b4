import type { ListKeysRequest, ListKeysResponse } from '@tollgate/proto/auth';
import type { Dependencies } from '../dependencies.ts';
import { listKeys as readKeys, toApiKey } from '../store/keys.ts';
import { optionalUuid, pageSize, requireUuid } from './validate.ts';

/** A page of an account's keys; a page's token is the id of the last key before it. */
export async function listKeys(
  { pool }: Pick<Dependencies, 'pool'>,
  request: ListKeysRequest,
): Promise<ListKeysResponse> {
  const accountId = requireUuid('account_id', request.accountId);
  const size = pageSize(request.pageSize);
  const rows = await readKeys(pool, accountId, optionalUuid('page_token', request.pageToken), size + 1);
  const page = rows.slice(0, size);
  return { keys: page.map(toApiKey), nextPageToken: rows.length > size ? (page.at(-1)?.key_id ?? '') : '' };
}

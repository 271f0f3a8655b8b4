import type { ListAccountsRequest, ListAccountsResponse } from '@tollgate/proto/auth';
import type { Dependencies } from '../dependencies.ts';
import { listAccounts as readAccounts, toAccount } from '../store/accounts.ts';
import { optionalUuid, pageSize } from './validate.ts';

/** A page of accounts; a page's token is the id of the last account before it. */
export async function listAccounts(
  { pool }: Pick<Dependencies, 'pool'>,
  request: ListAccountsRequest,
): Promise<ListAccountsResponse> {
  const size = pageSize(request.pageSize);
  const rows = await readAccounts(pool, optionalUuid('page_token', request.pageToken), size + 1);
  const page = rows.slice(0, size);
  return {
    accounts: page.map(toAccount),
    nextPageToken: rows.length > size ? (page.at(-1)?.account_id ?? '') : '',
  };
}

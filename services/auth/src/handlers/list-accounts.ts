import { optionalUuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListAccountsRequest, ListAccountsResponse } from '@tollgate/proto/auth';
import { listAccounts, toAccount } from '../store/accounts.ts';
import { pageSizeArgument, searchArgument, uuidListArgument } from './arguments.ts';

/** Lists a page of accounts; its token is the id of the last account before it. */
export function createListAccountsHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListAccountsRequest, ListAccountsResponse> {
  return async (request) => {
    const size = pageSizeArgument(request.pageSize);
    const after = optionalUuidArgument('page_token', request.pageToken);
    const text = searchArgument(request.text);
    const accountIds =
      request.accountIds.length === 0 ? undefined : uuidListArgument('account_ids', request.accountIds);
    const rows = await listAccounts(pool, { after, limit: size + 1, text, accountIds });
    const page = rows.slice(0, size);
    return {
      accounts: page.map(toAccount),
      nextPageToken: rows.length > size ? (page.at(-1)?.account_id ?? '') : '',
    };
  };
}

import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import { isUuid } from '@tollgate/common/ids';
import type { AuthServiceClient } from '@tollgate/proto/auth';

/** Accounts that auth names in one call. */
const MAX_IDS = 1_000;

/** Names of accounts by id, for operators. Ids that are no account's, as in a malformed record, have none. */
export async function readAccountNames(
  auth: AuthServiceClient,
  ids: readonly string[],
  options: UnaryCallOptions,
): Promise<ReadonlyMap<string, string>> {
  const accountIds = [...new Set(ids.filter(isUuid))].slice(0, MAX_IDS);
  if (accountIds.length === 0) return new Map();
  const request = { pageSize: MAX_IDS, pageToken: '', text: undefined, accountIds };
  const { accounts } = await unaryCall(auth.listAccounts.bind(auth), request, options);
  return new Map(accounts.map(({ accountId, name }) => [accountId, name]));
}

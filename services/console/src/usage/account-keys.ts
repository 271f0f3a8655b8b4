import type { RoleName } from '@tollgate/common/actors/roles';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { ApiKey, AuthServiceClient } from '@tollgate/proto/auth';

const PAGE_SIZE = 1_000;
/** Pages that are read of one account; older keys are left out. */
const MAX_PAGES = 5;

/** Whether a role sees the keys of an account. */
export function seesKeys(role: RoleName): boolean {
  return role !== 'billing';
}

/** The newest keys of an account, deleted ones too; for a developer, their own. At most 5,000. */
export async function readAccountKeys(
  auth: AuthServiceClient,
  accountId: string,
  options: UnaryCallOptions,
): Promise<ApiKey[]> {
  const keys: ApiKey[] = [];
  let pageToken = '';
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await unaryCall(auth.listKeys.bind(auth), { accountId, pageSize: PAGE_SIZE, pageToken }, options);
    keys.push(...page.keys);
    pageToken = page.nextPageToken;
    if (pageToken === '') break;
  }
  return keys;
}

import type { RoleName } from '@tollgate/common/actors/roles';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { ApiKey, AuthServiceClient } from '@tollgate/proto/auth';

/** Newest keys among which an active one is looked for. */
const NEWEST = 100;

/** Whether a role sees the keys of an account. */
export function seesKeys(role: RoleName): boolean {
  return role !== 'billing';
}

/** Whether an account, or a developer in it, has an active key. */
export async function hasActiveKey(
  auth: AuthServiceClient,
  accountId: string,
  options: UnaryCallOptions,
): Promise<boolean> {
  const request = { accountId, pageSize: NEWEST, pageToken: '' };
  const { keys } = await unaryCall(auth.listKeys.bind(auth), request, options);
  return keys.some(({ deletedAtMs }) => deletedAtMs === 0n);
}

/**
 * Keys of an account by their ids, deleted ones too.
 *
 * @param keyIds at most 1,000
 */
export async function readKeys(
  auth: AuthServiceClient,
  { accountId, keyIds }: { accountId: string; keyIds: readonly string[] },
  options: UnaryCallOptions,
): Promise<ApiKey[]> {
  if (keyIds.length === 0) return [];
  const by = { $case: 'keyIds' as const, value: { keyIds: [...keyIds] } };
  return (await unaryCall(auth.findKeys.bind(auth), { accountId, by }, options)).keys;
}

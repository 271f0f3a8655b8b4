import type { RoleName } from '@tollgate/common/actors/roles';
import type { UnaryCallOptions } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { LedgerRequest } from '../requests/bills.ts';
import { readKeys, seesKeys } from '../usage/account-keys.ts';

interface NameOptions {
  auth: AuthServiceClient;
  accountId: string;
  role: RoleName;
  rpc: UnaryCallOptions;
}

/**
 * Names the keys of refused requests. An ingress knows only the id of a deleted key; auth has its name still, for roles that
 * see keys.
 */
export async function nameRefusedKeys(
  requests: readonly LedgerRequest[],
  { auth, accountId, role, rpc }: NameOptions,
): Promise<LedgerRequest[]> {
  const unnamed = requests.flatMap((request) => (isUnnamed(request) ? [request.refusal.keyId] : []));
  if (unnamed.length === 0 || !seesKeys(role)) return [...requests];
  const keys = await readKeys(auth, { accountId, keyIds: [...new Set(unnamed)] }, rpc);
  const names = new Map(keys.map(({ keyId, name }) => [keyId, name]));
  return requests.map((request) =>
    isUnnamed(request)
      ? { ...request, refusal: { ...request.refusal, keyName: names.get(request.refusal.keyId) ?? '' } }
      : request,
  );
}

function isUnnamed(request: LedgerRequest): request is Extract<LedgerRequest, { kind: 'refusal' }> {
  return request.kind === 'refusal' && request.refusal.keyName === '';
}

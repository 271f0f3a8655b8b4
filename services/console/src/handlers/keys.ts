import { unaryCall } from '@tollgate/common/grpc/client';
import { type ApiKey, type AuthServiceClient, type DeleteKeyResponse, KeyStatus } from '@tollgate/proto/auth';
import { KeyFilter } from '@tollgate/proto/console/keys';
import { CHANGE_DEADLINE_MS, isUnconfirmed } from '../changes/unconfirmed.ts';
import type { Dependencies } from '../dependencies.ts';
import { apiErrors } from '../http/api-error.ts';
import type { RoleCall } from '../http/call.ts';
import type { Handlers } from '../http/handlers.ts';
import { readAccountNames } from '../lookups/account-names.ts';
import { isPlaygroundKey } from '../playground/playground-key.ts';
import { required } from '../required.ts';
import { readKeySpending, withUsage } from '../usage/key-spending.ts';

/** Pages of auth that are read for one page with a matching key. */
const MAX_PAGES = 10;

/** Handlers of API keys. */
export function keyHandlers({ auth, ledger }: Dependencies) {
  return {
    listKeys: async ({ accountId, limit, cursor, status, q, projectId, parentKeyId }, { rpc }) => {
      const options = await rpc();
      const shown = status === KeyFilter.ALL ? () => true : isInUse;
      let nextCursor = cursor;
      let keys: ApiKey[] = [];
      for (let pages = 0; pages < MAX_PAGES; pages++) {
        const request = { accountId, pageSize: limit, pageToken: nextCursor, text: q, projectId, parentKeyId };
        const page = await unaryCall(auth.listKeys.bind(auth), request, options);
        keys = page.keys.filter(shown);
        nextCursor = page.nextPageToken;
        if (keys.length > 0 || nextCursor === '') break;
      }
      const spending = await readKeySpending(ledger, accountId, keys, options);
      const nowMs = Date.now();
      return { data: keys.map((key) => withUsage(key, spending, nowMs)), nextCursor };
    },

    getKey: async (request, { rpc }) => {
      const options = await rpc();
      const key = required((await unaryCall(auth.getKey.bind(auth), request, options)).key);
      return withUsage(key, await readKeySpending(ledger, key.accountId, [key], options), Date.now());
    },

    deleteKey: (request, { rpc }) => deleteKey(auth, request, rpc),

    // An operator finds a leaked key whatever account it belongs to.
    findKeys: async ({ accountId, sha256, lastFour }, { role, rpc }) => {
      const isOperator = role === 'operator';
      const options = await rpc();
      const request = { accountId: isOperator ? '' : accountId, by: byOf(sha256, lastFour) };
      const { keys } = await unaryCall(auth.findKeys.bind(auth), request, options);
      const ids = isOperator ? keys.map((key) => key.accountId) : [];
      const names = await readAccountNames(auth, ids, options);
      return { data: keys.map((key) => ({ key, accountName: names.get(key.accountId) ?? '' })) };
    },
  } satisfies Partial<Handlers>;
}

/** Keys that are expired or off are listed, because that can be changed; those of the playground have served their purpose. */
function isInUse(key: ApiKey): boolean {
  if (key.status === KeyStatus.DELETED) return false;
  return key.status === KeyStatus.ACTIVE || !isPlaygroundKey(key);
}

async function deleteKey(
  auth: AuthServiceClient,
  request: { accountId: string; keyId: string },
  rpc: RoleCall['rpc'],
): Promise<DeleteKeyResponse> {
  try {
    return await unaryCall(auth.deleteKey.bind(auth), request, await rpc(CHANGE_DEADLINE_MS));
  } catch (error) {
    if (!isUnconfirmed(error)) throw error;
    const options = await rpc();
    const [{ key }, { confirmations }] = await Promise.all([
      unaryCall(auth.getKey.bind(auth), request, options),
      unaryCall(auth.getKeyPropagation.bind(auth), request, options),
    ]);
    if (key?.deletedAtMs === 0n) throw error;
    return { key, confirmations };
  }
}

function byOf(sha256: string | undefined, lastFour: string | undefined) {
  if (sha256 !== undefined && lastFour !== undefined)
    throw apiErrors.invalid('last_four', 'must not be sent with sha256');
  if (sha256 !== undefined) return { $case: 'keySha256' as const, value: Buffer.from(sha256, 'hex') };
  if (lastFour === undefined) throw apiErrors.invalid('sha256', 'is required without last_four');
  return { $case: 'lastFour' as const, value: lastFour };
}

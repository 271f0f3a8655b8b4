import { RpcError } from '@tollgate/common/errors';
import { optionalUuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { FindKeysRequest, FindKeysResponse } from '@tollgate/proto/auth';
import { keyScopeOf } from '../rules/actor-rules.ts';
import {
  findKeysById,
  findKeysByLastFour,
  findKeysBySha256,
  findKeysByText,
  type KeyScope,
} from '../store/key-lists.ts';
import { type KeyRow, toApiKey } from '../store/keys.ts';
import { plainTextArgument, sha256Argument, uuidListArgument } from './arguments.ts';

const MAX_FOUND = 100;
const LAST_FOUR = /^[0-9A-Za-z]{4}$/;

/** Finds keys by what is known of a leaked one, or by their ids. */
export function createFindKeysHandler({ pool }: { pool: Pool }): UnaryHandler<FindKeysRequest, FindKeysResponse> {
  return async ({ accountId, by }, context) => {
    const scope = keyScopeOf(actorOf(context), optionalUuidArgument('account_id', accountId));
    const nowMs = Date.now();
    return { keys: (await find(pool, scope, by)).map((key) => toApiKey(key, nowMs)) };
  };
}

function find(pool: Pool, scope: KeyScope, by: FindKeysRequest['by']): Promise<KeyRow[]> {
  switch (by?.$case) {
    case undefined:
      throw new RpcError('invalid_argument', 'by: key_sha256, last_four or key_ids must be set');
    case 'keySha256':
      return findKeysBySha256(pool, scope, sha256Argument('key_sha256', by.value));
    case 'lastFour':
      if (!LAST_FOUR.test(by.value)) {
        throw new RpcError('invalid_argument', 'last_four: must have 4 letters and digits');
      }
      return findKeysByLastFour(pool, scope, by.value, MAX_FOUND);
    case 'keyIds':
      return findKeysById(pool, inAccount(scope), uuidListArgument('key_ids', by.value.keyIds));
    case 'text':
      if (scope.accountId !== undefined) throw new RpcError('invalid_argument', 'account_id: must be empty with text');
      return findKeysByText(pool, plainTextArgument('text', by.value, 200), MAX_FOUND);
    default:
      return by satisfies never;
  }
}

function inAccount({ accountId, ...scope }: KeyScope): KeyScope & { accountId: string } {
  if (accountId === undefined) throw new RpcError('invalid_argument', 'account_id: must be set');
  return { ...scope, accountId };
}

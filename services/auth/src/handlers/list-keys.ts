import { optionalUuidArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListKeysRequest, ListKeysResponse } from '@tollgate/proto/auth';
import { keyScopeOf } from '../rules/actor-rules.ts';
import { listKeys } from '../store/key-lists.ts';
import { toApiKey } from '../store/keys.ts';
import { pageSizeArgument, searchArgument } from './arguments.ts';

/** Lists a page of an account's keys, for a developer of their own; its token is the id of the last key before it. */
export function createListKeysHandler({ pool }: { pool: Pool }): UnaryHandler<ListKeysRequest, ListKeysResponse> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const size = pageSizeArgument(request.pageSize);
    const before = optionalUuidArgument('page_token', request.pageToken);
    const text = searchArgument(request.text);
    const projectId = request.projectId === undefined ? undefined : uuidArgument('project_id', request.projectId);
    const parentKeyId =
      request.parentKeyId === undefined ? undefined : uuidArgument('parent_key_id', request.parentKeyId);
    const scope = { ...keyScopeOf(actorOf(context), accountId), accountId, projectId, parentKeyId };
    const rows = await listKeys(pool, scope, { before, limit: size + 1, text });
    const page = rows.slice(0, size);
    const nowMs = Date.now();
    return {
      keys: page.map((key) => toApiKey(key, nowMs)),
      nextPageToken: rows.length > size ? (page.at(-1)?.key_id ?? '') : '',
    };
  };
}

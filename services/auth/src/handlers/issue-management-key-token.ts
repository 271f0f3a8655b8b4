import { RpcError } from '@tollgate/common/errors';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { ActorToken, IssueManagementKeyTokenRequest } from '@tollgate/proto/auth';
import { issueToken, type TokenDependencies } from '../people/issue-token.ts';
import { findActiveManagementKey, recordManagementKeyUse } from '../store/management-keys.ts';
import { sha256Argument } from './arguments.ts';

/** Issues a token for a presented management key, and records its use. */
export function createIssueManagementKeyTokenHandler(
  deps: TokenDependencies,
): UnaryHandler<IssueManagementKeyTokenRequest, ActorToken> {
  return async (request) => {
    const key = await findActiveManagementKey(deps.pool, sha256Argument('key_sha256', request.keySha256));
    if (key === undefined) {
      throw new RpcError('permission_denied', 'the management key is unknown, deleted or expired');
    }
    const { management_key_id: id, name, role, account_id: accountId } = key;
    await recordManagementKeyUse(deps.pool, id);
    return issueToken(deps, { id, name, role, via: 'api', accountId: accountId ?? undefined, readOnly: false });
  };
}

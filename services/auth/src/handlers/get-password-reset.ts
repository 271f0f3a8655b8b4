import { RpcError } from '@tollgate/common/errors';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { GetPasswordResetRequest, GetPasswordResetResponse } from '@tollgate/proto/auth';
import { findPasswordReset } from '../store/password-resets.ts';
import { sha256Argument } from './arguments.ts';

/** Finds a password reset by the secret of its link. */
export function createGetPasswordResetHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<GetPasswordResetRequest, GetPasswordResetResponse> {
  return async (request) => {
    const personId = await findPasswordReset(pool, sha256Argument('secret_sha256', request.secretSha256));
    if (personId === undefined) throw new RpcError('not_found', 'the reset is unknown, used or expired');
    return {};
  };
}

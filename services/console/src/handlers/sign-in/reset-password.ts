import { unaryCall } from '@tollgate/common/grpc/client';
import { hashOfSecret } from '@tollgate/common/secret-links';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';
import { type AfterPasswordChangeOptions, afterPasswordChange } from '../../passwords/after-password-change.ts';
import type { Passwords } from '../../passwords/passwords.ts';
import { required } from '../../required.ts';
import { takeLinkAttempt } from '../../sign-in/attempt-limits.ts';

/** Sets a new password by a link, and ends all sessions of the person. */
export function createResetPasswordHandler(
  deps: AfterPasswordChangeOptions & { auth: AuthServiceClient; passwords: Passwords },
): Handler<'POST /password-resets/use'> {
  const { auth, pool, passwords } = deps;
  return async ({ body, client }) => {
    await takeLinkAttempt(pool, client.ip);
    const request = { secretSha256: hashOfSecret(body.secret), passwordHash: await passwords.hash(body.password) };
    const response = await unaryCall(auth.resetPassword.bind(auth), request, { deadlineMs: 5_000 });
    await afterPasswordChange(deps, required(response.person), undefined);
  };
}

import { unaryCall } from '@tollgate/common/grpc/client';
import { hashOfSecret } from '@tollgate/common/secret-links';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Handler } from '../../http/handler.ts';
import { type AfterPasswordChangeOptions, afterPasswordChange } from '../../passwords/after-password-change.ts';
import type { Passwords } from '../../passwords/passwords.ts';
import { required } from '../../required.ts';
import { clearPasswordAttempts, withLink } from '../../sign-in/attempt-limits.ts';

const CALL = { deadlineMs: 5_000 };

/** Sets a new password by a link, and ends all sessions of the person. */
export function createResetPasswordHandler(
  deps: AfterPasswordChangeOptions & { auth: AuthServiceClient; passwords: Passwords },
): Handler<'POST /password-resets/use'> {
  const { auth, pool, passwords } = deps;
  return async ({ body, client }) => {
    const secretSha256 = hashOfSecret(body.secret);
    // Before the costly hash of the new password.
    await withLink(pool, client.ip, unaryCall(auth.getPasswordReset.bind(auth), { secretSha256 }, CALL));
    const request = { secretSha256, passwordHash: await passwords.hash(body.password) };
    const response = await withLink(pool, client.ip, unaryCall(auth.resetPassword.bind(auth), request, CALL));
    const person = required(response.person);
    await clearPasswordAttempts(pool, person.email, client.ip);
    await afterPasswordChange(deps, person, undefined);
  };
}

import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import { apiErrors } from '../../http/api-error.ts';
import type { Handler } from '../../http/handler.ts';
import { type AfterPasswordChangeOptions, afterPasswordChange } from '../../passwords/after-password-change.ts';
import type { Passwords } from '../../passwords/passwords.ts';
import { required } from '../../required.ts';
import { takeSessionPasswordAttempt } from '../../sign-in/attempt-limits.ts';

const CALL = { deadlineMs: 5_000 };

/** Changes the password of the signed-in person, and ends their other sessions. */
export function createChangePasswordHandler(
  deps: AfterPasswordChangeOptions & { auth: AuthServiceClient; passwords: Passwords },
): Handler<'PUT /person/password'> {
  const { auth, pool, passwords } = deps;
  return async ({ session, body }) => {
    const { personId } = session;
    const { email } = required((await unaryCall(auth.getPerson.bind(auth), { personId }, CALL)).person);
    const succeed = await takeSessionPasswordAttempt(pool, session.sessionId);
    const { passwordHash: current } = await unaryCall(auth.getCredential.bind(auth), { email }, CALL);
    // Somebody who signs in with OpenID Connect only has no password yet.
    if (current !== '' && !(await passwords.matches(body.current_password, current))) {
      throw apiErrors.invalid('current_password', 'is wrong');
    }
    await succeed();
    const passwordHash = await passwords.hash(body.new_password);
    const request = { personId, passwordHash, sessionGeneration: session.generation };
    const changed = await unaryCall(auth.updatePerson.bind(auth), request, CALL);
    await afterPasswordChange(deps, required(changed.person), session.sessionId);
  };
}

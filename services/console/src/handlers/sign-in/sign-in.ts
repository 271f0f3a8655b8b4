import { unaryCall } from '@tollgate/common/grpc/client';
import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { type AuthServiceClient, type GetCredentialResponse, SessionEvent } from '@tollgate/proto/auth';
import { ApiError } from '../../http/api-error.ts';
import type { Handler } from '../../http/handler.ts';
import { unlessMissing } from '../../lookups/unless-missing.ts';
import type { Passwords } from '../../passwords/passwords.ts';
import { recordSession } from '../../sessions/record-session.ts';
import { renderSession, type SessionView } from '../../sessions/render-session.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import { takePasswordAttempt } from '../../sign-in/attempt-limits.ts';

const DEADLINE_MS = 5_000;

/** Signs in with a password. An unknown address takes the same time and has the same error as a wrong password. */
export function createSignInHandler(
  deps: SessionView & { pool: Pool; passwords: Passwords; sessions: Sessions; logger: Logger },
): Handler<'POST /session'> {
  const { auth, pool, passwords, sessions, logger } = deps;
  return async ({ body: { email, password }, client, response }) => {
    const succeed = await takePasswordAttempt(pool, email, client.ip);
    const credential = await findCredential(auth, email);
    const hash = credential?.passwordHash;
    const isRight = await passwords.matches(password, hash === '' ? undefined : hash);
    if (!isRight || credential?.person === undefined) {
      // Not waited for: its time would say whether somebody has the address.
      recordSession(auth, { email }, SessionEvent.REFUSED, { method: 'password', ip_address: client.ip }).catch(
        (error: unknown) => logger.error({ err: error }, 'a refused sign-in was not recorded'),
      );
      throw new ApiError('not_signed_in', 'The e-mail address or the password is wrong.');
    }
    await succeed();
    return renderSession(deps, await sessions.begin(response, credential.person, client, 'password'));
  };
}

function findCredential(auth: AuthServiceClient, email: string): Promise<GetCredentialResponse | undefined> {
  return unlessMissing(unaryCall(auth.getCredential.bind(auth), { email }, { deadlineMs: DEADLINE_MS }));
}

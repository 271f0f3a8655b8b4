import { unaryCall } from '@tollgate/common/grpc/client';
import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { ConsoleConfig } from '../../config.ts';
import { apiErrors } from '../../http/api-error.ts';
import type { Handler } from '../../http/handler.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { passwordChangedMail } from '../../mail/messages.ts';
import type { Passwords } from '../../passwords/passwords.ts';
import { required } from '../../required.ts';
import { takePasswordAttempt } from '../../sign-in/attempt-limits.ts';
import { deleteOtherSessions } from '../../store/sessions.ts';

const CALL = { deadlineMs: 5_000 };

/** Changes the password of the signed-in person, and ends their other sessions. */
export function createChangePasswordHandler({
  config,
  auth,
  pool,
  passwords,
  mailer,
  logger,
}: {
  config: Pick<ConsoleConfig, 'CONSOLE_URL'>;
  auth: AuthServiceClient;
  pool: Pool;
  passwords: Passwords;
  mailer: Mailer | undefined;
  logger: Logger;
}): Handler<'PUT /person/password'> {
  return async ({ session, body, client }) => {
    const { personId } = session;
    const { email } = required((await unaryCall(auth.getPerson.bind(auth), { personId }, CALL)).person);
    const succeed = await takePasswordAttempt(pool, email, client.ip);
    const { passwordHash: current } = await unaryCall(auth.getCredential.bind(auth), { email }, CALL);
    // Somebody who signs in with OpenID Connect only has no password yet.
    if (current !== '' && !(await passwords.matches(body.current_password, current))) {
      throw apiErrors.invalid('current_password', 'is wrong');
    }
    await succeed();
    const passwordHash = await passwords.hash(body.new_password);
    await unaryCall(auth.updatePerson.bind(auth), { personId, passwordHash }, CALL);
    await deleteOtherSessions(pool, personId, session.sessionId);
    const mail = passwordChangedMail({ to: email, consoleUrl: config.CONSOLE_URL });
    mailer?.send(mail).catch((error: unknown) => logger.warn({ err: error }, 'a notice was not mailed'));
  };
}

import { unaryCall } from '@tollgate/common/grpc/client';
import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { hashOfSecret } from '@tollgate/common/secret-links';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { ConsoleConfig } from '../../config.ts';
import type { Handler } from '../../http/handler.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { passwordChangedMail } from '../../mail/messages.ts';
import type { Passwords } from '../../passwords/passwords.ts';
import { required } from '../../required.ts';
import { takeLinkAttempt } from '../../sign-in/attempt-limits.ts';
import { deleteOtherSessions } from '../../store/sessions.ts';

/** Sets a new password by a link, and ends all sessions of the person. */
export function createResetPasswordHandler({
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
}): Handler<'POST /password-resets/use'> {
  return async ({ body, client }) => {
    await takeLinkAttempt(pool, client.ip);
    const request = { secretSha256: hashOfSecret(body.secret), passwordHash: await passwords.hash(body.password) };
    const response = await unaryCall(auth.resetPassword.bind(auth), request, { deadlineMs: 5_000 });
    const { personId, email } = required(response.person);
    await deleteOtherSessions(pool, personId, undefined);
    const mail = passwordChangedMail({ to: email, consoleUrl: config.CONSOLE_URL });
    mailer?.send(mail).catch((error: unknown) => logger.warn({ err: error }, 'a notice was not mailed'));
  };
}

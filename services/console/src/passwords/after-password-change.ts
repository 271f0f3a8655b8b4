import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ConsoleConfig } from '../config.ts';
import type { Mailer } from '../mail/mailer.ts';
import { passwordChangedMail } from '../mail/messages.ts';
import { deleteOtherSessions } from '../store/sessions.ts';

export interface AfterPasswordChangeOptions {
  config: Pick<ConsoleConfig, 'CONSOLE_URL'>;
  pool: Pool;
  mailer: Mailer | undefined;
  logger: Logger;
}

/**
 * Ends the sessions of a person whose password has changed, and mails them a notice.
 *
 * @param keptSessionId the session in which they changed it; undefined: all end
 */
export async function afterPasswordChange(
  { config, pool, mailer, logger }: AfterPasswordChangeOptions,
  { personId, email }: { personId: string; email: string },
  keptSessionId: string | undefined,
): Promise<void> {
  await deleteOtherSessions(pool, personId, keptSessionId);
  const mail = passwordChangedMail({ to: email, consoleUrl: config.CONSOLE_URL });
  mailer?.send(mail).catch((error: unknown) => logger.warn({ err: error }, 'a notice was not mailed'));
}

import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { type AuthServiceClient, type Person, SessionEvent } from '@tollgate/proto/auth';
import type { ConsoleConfig } from '../config.ts';
import type { Mailer } from '../mail/mailer.ts';
import { passwordChangedMail } from '../mail/messages.ts';
import { recordSession } from '../sessions/record-session.ts';
import { deleteOtherGenerations, setSessionGeneration } from '../store/sessions.ts';

export interface AfterPasswordChangeOptions {
  config: Pick<ConsoleConfig, 'CONSOLE_URL'>;
  auth: AuthServiceClient;
  pool: Pool;
  mailer: Mailer | undefined;
  logger: Logger;
}

/**
 * Removes the sessions of a person whose password has changed, which auth has ended with it, and mails them a notice.
 *
 * @param person after the change
 * @param keptSessionId the session in which they changed it, which goes on; undefined: all end
 */
export async function afterPasswordChange(
  { config, auth, pool, mailer, logger }: AfterPasswordChangeOptions,
  { personId, email, sessionGeneration }: Pick<Person, 'personId' | 'email' | 'sessionGeneration'>,
  keptSessionId: string | undefined,
): Promise<void> {
  if (keptSessionId !== undefined) await setSessionGeneration(pool, keptSessionId, sessionGeneration);
  const ended = await deleteOtherGenerations(pool, personId, sessionGeneration);
  if (ended > 0) {
    await recordSession(auth, { personId }, SessionEvent.ENDED, { sessions: String(ended), by: 'a changed password' });
  }
  const mail = passwordChangedMail({ to: email, consoleUrl: config.CONSOLE_URL });
  mailer?.send(mail).catch((error: unknown) => logger.warn({ err: error }, 'a notice was not mailed'));
}

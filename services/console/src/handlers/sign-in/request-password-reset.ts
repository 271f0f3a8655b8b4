import { unaryCall } from '@tollgate/common/grpc/client';
import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { newLink } from '@tollgate/common/secret-links';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { ConsoleConfig } from '../../config.ts';
import type { Handler } from '../../http/handler.ts';
import { unlessMissing } from '../../lookups/unless-missing.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { passwordResetMail } from '../../mail/messages.ts';
import { takeResetAttempt } from '../../sign-in/attempt-limits.ts';

const VALID_MINUTES = 60;

interface ResetDependencies {
  config: Pick<ConsoleConfig, 'CONSOLE_URL'>;
  auth: AuthServiceClient;
  pool: Pool;
  mailer: Mailer | undefined;
  logger: Logger;
}

/**
 * Mails a link to set a new password. Returns before that, so that neither the response nor its time says whether somebody
 * has the address. Without e-mail, an operator makes the link at the command line.
 */
export function createRequestPasswordResetHandler(deps: ResetDependencies): Handler<'POST /password-resets'> {
  const { pool, logger } = deps;
  return async ({ body, client }) => {
    await takeResetAttempt(pool, body.email, client.ip);
    mailReset(deps, body.email).catch((error: unknown) => logger.warn({ err: error }, 'a reset link was not mailed'));
  };
}

async function mailReset({ config, auth, mailer }: ResetDependencies, email: string): Promise<void> {
  if (mailer === undefined) return;
  const { url, secretSha256 } = newLink(config.CONSOLE_URL, 'reset');
  const expiresAtMs = BigInt(Date.now() + VALID_MINUTES * 60_000);
  const request = { email, secretSha256, expiresAtMs, mailed: true };
  const created = await unlessMissing(unaryCall(auth.createPasswordReset.bind(auth), request, { deadlineMs: 5_000 }));
  if (created !== undefined) await mailer.send(passwordResetMail({ to: email, url, minutes: VALID_MINUTES }));
}

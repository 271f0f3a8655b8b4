import { unaryCall } from '@tollgate/common/grpc/client';
import { hashOfSecret, newLink } from '@tollgate/common/secret-links';
import type { Dependencies } from '../dependencies.ts';
import { apiErrors } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';
import { unlessMissing } from '../lookups/unless-missing.ts';
import { passwordResetMail } from '../mail/messages.ts';
import { afterPasswordChange } from '../passwords/after-password-change.ts';
import { required } from '../required.ts';
import {
  clearPasswordAttempts,
  takeResetAttempt,
  takeSessionPasswordAttempt,
  withLink,
} from '../sign-in/attempt-limits.ts';

const VALID_MINUTES = 60;
const CALL = { deadlineMs: 5_000 };

/** Handlers of passwords and of links that reset them. */
export function passwordHandlers(deps: Dependencies) {
  const { auth, pool, passwords, logger } = deps;
  return {
    // Returns before a link is mailed, so that neither the response nor its time says whether somebody has the address.
    requestPasswordReset: async ({ email }, { client }) => {
      await takeResetAttempt(pool, email, client.ip);
      mailReset(deps, email).catch((error: unknown) => logger.warn({ err: error }, 'a reset link was not mailed'));
    },

    // Ends all sessions of the person.
    resetPassword: async ({ secret, password }, { client }) => {
      const secretSha256 = hashOfSecret(secret);
      // Before the costly hash of the new password.
      await withLink(pool, client.ip, unaryCall(auth.getPasswordReset.bind(auth), { secretSha256 }, CALL));
      const request = { secretSha256, passwordHash: await passwords.hash(password) };
      const response = await withLink(pool, client.ip, unaryCall(auth.resetPassword.bind(auth), request, CALL));
      const person = required(response.person);
      await clearPasswordAttempts(pool, person.email, client.ip);
      await afterPasswordChange(deps, person, undefined);
    },

    // Ends the other sessions of the person.
    changePassword: async ({ currentPassword, newPassword }, { session }) => {
      const { personId } = session;
      const { email } = required((await unaryCall(auth.getPerson.bind(auth), { personId }, CALL)).person);
      const succeed = await takeSessionPasswordAttempt(pool, session.sessionId);
      const { passwordHash: current } = await unaryCall(auth.getCredential.bind(auth), { email }, CALL);
      // Somebody who signs in with OpenID Connect only has no password yet.
      if (current !== '' && !(await passwords.matches(currentPassword, current)))
        throw apiErrors.invalid('current_password', 'is wrong');
      await succeed();
      const passwordHash = await passwords.hash(newPassword);
      const request = { personId, passwordHash, sessionGeneration: session.generation };
      const changed = await unaryCall(auth.updatePerson.bind(auth), request, CALL);
      await afterPasswordChange(deps, required(changed.person), session.sessionId);
    },
  } satisfies Partial<Handlers>;
}

/** Without e-mail, an operator makes the link. */
async function mailReset({ config, auth, mailer }: Dependencies, email: string): Promise<void> {
  if (mailer === undefined) return;
  const { url, secretSha256 } = newLink(config.CONSOLE_URL, 'reset');
  const expiresAtMs = BigInt(Date.now() + VALID_MINUTES * 60_000);
  const request = { email, secretSha256, expiresAtMs, mailed: true };
  const created = await unlessMissing(unaryCall(auth.createPasswordReset.bind(auth), request, CALL));
  if (created !== undefined) await mailer.send(passwordResetMail({ to: email, url, minutes: VALID_MINUTES }));
}

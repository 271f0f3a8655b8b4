import { createCreatePasswordResetHandler } from '../handlers/create-password-reset.ts';
import { runMakeLink } from './make-link.ts';

const VALID_MS = 86_400_000;

/** Prints a link with which a person who is locked out sets a new password: `reset-link EMAIL CONSOLE_URL`. */
runMakeLink('reset', (pool, { email, secretSha256, actor }) => {
  const request = { email, secretSha256, expiresAtMs: BigInt(Date.now() + VALID_MS), mailed: false };
  return createCreatePasswordResetHandler({ pool })(request, { actor, signal: new AbortController().signal });
});

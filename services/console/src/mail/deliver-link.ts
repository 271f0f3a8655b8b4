import { ApiError } from '../http/api-error.ts';
import { MailError } from './mail-error.ts';
import type { Mail, Mailer } from './mailer.ts';

/** Whether a link was sent, and the link to copy where e-mail is not configured. */
export interface Delivery {
  mailed: boolean;
  link: string | undefined;
}

/**
 * Mails a link, or returns it to be copied where e-mail is not configured. A link that should be mailed is never shown: it
 * proves that whoever has it reads the mailbox.
 *
 * @throws ApiError invalid_request: the mail server will never take it; unavailable: it was not mailed now
 */
export async function deliverLink(mailer: Mailer | undefined, url: string, mail: () => Mail): Promise<Delivery> {
  if (mailer === undefined) return { mailed: false, link: url };
  try {
    await mailer.send(mail());
  } catch (error) {
    if (error instanceof MailError && error.isRejected) {
      const message = 'The mail server refuses this address. Check how it is written.';
      throw new ApiError('invalid_request', message, { cause: error, field: 'email' });
    }
    const message = 'The e-mail with the link could not be sent. Invite them again in a few minutes.';
    throw new ApiError('unavailable', message, { cause: error, retryAfterS: 60 });
  }
  return { mailed: true, link: undefined };
}

import type { Mail, Mailer } from './mailer.ts';

/** Whether a link was sent, and the link to copy if it was not. */
export interface Delivery {
  mailed: boolean;
  link: string | null;
}

/** Mails a link; returns it to be copied where e-mail is not configured or fails. */
export async function deliverLink(mailer: Mailer | undefined, url: string, mail: () => Mail): Promise<Delivery> {
  const mailed =
    (await mailer?.send(mail()).then(
      () => true,
      () => false,
    )) ?? false;
  return { mailed, link: mailed ? null : url };
}

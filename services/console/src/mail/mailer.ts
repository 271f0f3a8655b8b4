import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@tollgate/common/logging';
import { meterOf } from '@tollgate/common/telemetry';
import { createTransport } from 'nodemailer';
import { MailError } from './mail-error.ts';

/** An e-mail, as text and as HTML. */
export interface Mail {
  /** For the log: what kind of mail it is. */
  kind: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Part of the Message-ID, by which mail servers drop a mail that was sent twice. */
  id?: string;
}

/** Sends e-mails. */
export interface Mailer {
  /** Resolves once the server has accepted it; rejects when it has not, after several attempts, or when too many wait. */
  send: (mail: Mail) => Promise<void>;
  /** The same with one attempt that is not logged, for callers that try again later. Rejects with a MailError. */
  sendOnce: (mail: Mail) => Promise<void>;
  close: () => void;
}

const MAX_CONNECTIONS = 2;
const MAX_WAITING = 200;
const ATTEMPTS = 3;
const RETRY_AFTER_MS = 1_000;
const CONNECT_MS = 5_000;
const SOCKET_MS = 15_000;

/** Maximum time of an attempt, waiting for a connection included. */
export const ATTEMPT_MS = 60_000;

/** Out-of-office programs do not respond to it: https://www.rfc-editor.org/rfc/rfc3834#section-5 */
const HEADERS = { 'Auto-Submitted': 'auto-generated' };

/** Sends e-mails through an SMTP server. */
export function createMailer({ url, from, logger }: { url: string; from: string; logger: Logger }): Mailer {
  const transport = createTransport(
    {
      url,
      pool: true,
      maxConnections: MAX_CONNECTIONS,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SOCKET_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  );
  const mails = meterOf('tollgate-console').createCounter('tollgate.mails', {
    unit: '{mail}',
    description: 'E-mails by outcome: sent, failed.',
  });
  let waiting = 0;
  const attempt = async ({ to, subject, text, html, id }: Mail) => {
    const messageId = id === undefined ? {} : { messageId: `<${id}@${domainOf(from)}>` };
    const signal = AbortSignal.timeout(ATTEMPT_MS);
    try {
      await transport.sendMail({
        to: { name: '', address: to },
        subject,
        text,
        html,
        headers: HEADERS,
        ...messageId,
        signal,
      });
    } catch (error) {
      throw new MailError(error);
    }
  };
  const deliver = async (mail: Mail) => {
    for (let attempts = 1; ; attempts++) {
      try {
        await attempt(mail);
        return;
      } catch (error) {
        if (attempts === ATTEMPTS || (error instanceof MailError && error.isPermanent)) throw error;
        await delay(attempts * RETRY_AFTER_MS, undefined, { ref: false });
      }
    }
  };
  const counted = async (mail: Mail, run: (mail: Mail) => Promise<void>) => {
    try {
      await run(mail);
      mails.add(1, { outcome: 'sent' });
    } catch (error) {
      mails.add(1, { outcome: 'failed' });
      throw error;
    }
  };
  return {
    send: async (mail) => {
      if (waiting >= MAX_WAITING) throw new Error('too many e-mails are waiting');
      waiting += 1;
      try {
        await counted(mail, deliver);
      } catch (error) {
        const reason = error instanceof MailError ? error.reason : 'unknown';
        logger.error({ kind: mail.kind, reason }, 'an e-mail was not sent');
        throw error;
      } finally {
        waiting -= 1;
      }
    },
    sendOnce: (mail) => counted(mail, attempt),
    close: () => transport.close(),
  };
}

/** The domain of a sender such as `Tollgate <tollgate@example.com>`. */
function domainOf(from: string): string {
  return /@([a-z0-9.-]+)/i.exec(from)?.[1] ?? 'localhost';
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@tollgate/common/logging';
import { meterOf } from '@tollgate/common/telemetry';
import { createTransport } from 'nodemailer';

/** An e-mail, as text and as HTML. */
export interface Mail {
  /** For the log: what kind of mail it is. */
  kind: string;
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Sends e-mails. */
export interface Mailer {
  /** Resolves once the server has accepted it; rejects when it has not, after several attempts, or when too many wait. */
  send: (mail: Mail) => Promise<void>;
  close: () => void;
}

const MAX_CONNECTIONS = 2;
const MAX_WAITING = 200;
const ATTEMPTS = 3;
const RETRY_AFTER_MS = 1_000;
const CONNECT_MS = 5_000;
const SOCKET_MS = 15_000;

/** Codes of SMTP from here on are final: the server will not accept the mail later either. */
const PERMANENT = 500;

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
  const deliver = async ({ to, subject, text, html }: Mail) => {
    for (let attempt = 1; ; attempt++) {
      try {
        await transport.sendMail({ to: { name: '', address: to }, subject, text, html });
        return;
      } catch (error) {
        if (attempt === ATTEMPTS || isPermanent(error)) throw error;
        await delay(attempt * RETRY_AFTER_MS, undefined, { ref: false });
      }
    }
  };
  return {
    send: async (mail) => {
      if (waiting >= MAX_WAITING) throw new Error('too many e-mails are waiting');
      waiting += 1;
      try {
        await deliver(mail);
        mails.add(1, { outcome: 'sent' });
      } catch (error) {
        mails.add(1, { outcome: 'failed' });
        logger.error({ kind: mail.kind, reason: reasonOf(error) }, 'an e-mail was not sent');
        throw error;
      } finally {
        waiting -= 1;
      }
    },
    close: () => transport.close(),
  };
}

function isPermanent(error: unknown): boolean {
  return error instanceof Error && 'responseCode' in error && Number(error.responseCode) >= PERMANENT;
}

/** Codes only: a server's text quotes addresses. */
function reasonOf(error: unknown): string {
  const parts =
    error instanceof Error
      ? ['code' in error ? error.code : '', 'responseCode' in error ? error.responseCode : '']
      : [];
  return parts.filter((part) => part !== '' && part !== undefined).join(' ') || 'unknown';
}

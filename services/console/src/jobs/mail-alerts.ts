import { type Periodic, runPeriodically } from '@tollgate/common/periodic';
import { createAlertQueue, type QueueDependencies } from '../alerts/queue-mails.ts';
import { createAlertSender, type SendDependencies } from '../alerts/send-mails.ts';
import type { Mailer } from '../mail/mailer.ts';

/** How often new events, and e-mails that are due, are looked for. */
const INTERVAL_MS = 2_000;

export interface MailAlertsOptions {
  intervalMs?: number;
  /** Delays after failed attempts. */
  delaysMs?: readonly number[];
}

type MailAlertsDependencies = QueueDependencies & Omit<SendDependencies, 'mailer'> & { mailer: Mailer | undefined };

/** Mails alerts to owners and billing members, if e-mail is configured. */
export function startMailingAlerts(
  { mailer, ...deps }: MailAlertsDependencies,
  { intervalMs = INTERVAL_MS, delaysMs }: MailAlertsOptions = {},
): Periodic {
  if (mailer === undefined) return { stop: () => Promise.resolve() };
  const jobs = [
    runPeriodically('queue alerts', intervalMs, deps.logger, createAlertQueue(deps)),
    runPeriodically('mail alerts', intervalMs, deps.logger, createAlertSender({ ...deps, mailer }, delaysMs)),
  ];
  return {
    stop: async () => {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}

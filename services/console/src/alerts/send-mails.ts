import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { meterOf } from '@tollgate/common/telemetry';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import { MailError } from '../mail/mail-error.ts';
import { ATTEMPT_MS, type Mailer } from '../mail/mailer.ts';
import { alertMail } from '../mail/messages.ts';
import {
  type ClaimedMail,
  claimAlertMails,
  type EndedState,
  endAlertMail,
  postponeAlertMail,
} from '../store/alert-mails.ts';
import { alertText, isAboutCap, isAboutLimitRequest, keyOf, needsConfirmation } from './alert-text.ts';
import { audienceOf, whyMailed } from './audience.ts';
import { MAX_AGE_MS } from './max-age.ts';
import { listRecipients } from './recipients.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** Delays after the first and further failed attempts; the last one repeats, so that alerts follow soon after an outage. */
export const DELAYS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  MINUTE_MS,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  15 * MINUTE_MS,
];

/** E-mails sent concurrently. Few, because links that people wait for go the same way. */
const BATCH_SIZE = 4;

/** A claim on an e-mail lasts longer than an attempt. */
const CLAIM_MS = ATTEMPT_MS + MINUTE_MS;

export interface SendDependencies {
  config: { CONSOLE_URL: string };
  pool: Pool;
  auth: AuthServiceClient;
  mailer: Mailer;
  logger: Logger;
}

/**
 * Creates what sends queued e-mails that are due, until none is left or the mail server fails. Several replicas may do so
 * concurrently. A claim postpones the next attempt of an e-mail before it is sent, so that the death of a replica only delays
 * it; it is then sent again under the same Message-ID.
 */
export function createAlertSender(
  { config, pool, auth, mailer, logger }: SendDependencies,
  delaysMs: readonly number[] = DELAYS_MS,
) {
  const outcomes = meterOf('tollgate-console').createCounter('tollgate.alert_mails', {
    unit: '{mail}',
    description: 'E-mails of alerts by outcome: sent, failed (and retried), rejected, withdrawn, given_up.',
  });
  for (const outcome of ['sent', 'failed', 'rejected', 'withdrawn', 'given_up']) outcomes.add(0, { outcome });

  return async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const mails = await claimAlertMails(pool, BATCH_SIZE, CLAIM_MS);
      const ended = await Promise.all(mails.map((mail) => deliver(mail, signal)));
      if (mails.length < BATCH_SIZE || ended.includes(false)) return;
    }
  };

  /** @returns false: it will be retried */
  async function deliver(mail: ClaimedMail, signal: AbortSignal): Promise<boolean> {
    const named = { account_id: mail.account_id, event_id: mail.event_id, person_id: mail.person_id };
    if (mail.happened_at.getTime() <= Date.now() - MAX_AGE_MS) {
      logger.error({ ...named, attempts: mail.attempts }, 'an alert was given up: it could not be mailed within a day');
      return end(mail, 'given_up');
    }
    try {
      const { accountName, emails } = await listRecipients(
        auth,
        { accountId: mail.account_id, ...audienceOf(mail.type, mail.data) },
        signal,
      );
      const to = emails.get(mail.person_id);
      if (to === undefined) return await end(mail, 'withdrawn');
      await mailer.sendOnce(render(mail, { to, accountName }));
    } catch (error) {
      if (error instanceof MailError && error.isRejected) {
        logger.warn({ ...named, reason: error.reason }, 'the mail server rejects a recipient of an alert');
        return end(mail, 'rejected');
      }
      if (signal.aborted) {
        await postponeAlertMail(pool, mail, 0);
        return false;
      }
      outcomes.add(1, { outcome: 'failed' });
      const why = error instanceof MailError ? { reason: error.reason } : { err: error };
      logger.warn({ ...named, attempts: mail.attempts, ...why }, 'an alert was not mailed and will be retried');
      await postponeAlertMail(pool, mail, delaysMs[Math.min(mail.attempts, delaysMs.length) - 1] ?? MINUTE_MS);
      return false;
    }
    return end(mail, 'sent');
  }

  async function end(mail: ClaimedMail, state: EndedState): Promise<true> {
    await endAlertMail(pool, mail, state);
    outcomes.add(1, { outcome: state });
    return true;
  }

  function render(mail: ClaimedMail, { to, accountName }: { to: string; accountName: string }) {
    const page = (name: string) => `${config.CONSOLE_URL}/accounts/${mail.account_id}/${name}`;
    return alertMail({
      id: `${mail.event_id}.${mail.person_id}`,
      to,
      accountName,
      ...alertText(mail.type, mail.data),
      happenedAt: mail.happened_at,
      isLastOfDay: mail.is_last_of_day,
      link: linkOf(mail, page),
      why: whyMailed(mail.type, page('alerts')),
    });
  }
}

/** Where something can be done about what an e-mail says. @param page makes the address of a page of the account */
function linkOf(mail: ClaimedMail, page: (name: string) => string): { label: string; url: string } {
  const keyId = keyOf(mail.data);
  if (keyId !== undefined) return { label: 'Open the key', url: page(`keys/${keyId}`) };
  if (isAboutLimitRequest(mail.type)) return { label: 'Open the limit requests', url: page('limit-requests') };
  if (isAboutCap(mail.type)) return { label: 'Open the keys', url: page('keys') };
  return { label: needsConfirmation(mail) ? 'Confirm the payment' : 'Open Top up', url: page('top-up') };
}

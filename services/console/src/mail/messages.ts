import type { RoleName } from '@tollgate/common/actors/roles';
import type { Mail } from './mailer.ts';
import { renderMail } from './render-mail.ts';

const NOT_YOU = 'If you did not expect this e-mail, you can ignore it.';

/** An invitation to an account, or, without one, to be an operator. */
export function invitationMail(invitation: {
  to: string;
  invitedBy: string;
  accountName: string | undefined;
  role: RoleName;
  url: string;
  days: number;
}): Mail {
  const { to, invitedBy, accountName, role, url, days } = invitation;
  return renderMail({
    kind: 'invitation',
    to,
    subject: accountName === undefined ? 'Invitation to operate Tollgate' : `Invitation to ${accountName} on Tollgate`,
    paragraphs: [
      accountName === undefined
        ? `${invitedBy} invites you to be an operator of Tollgate.`
        : `${invitedBy} invites you to the account ${accountName} on Tollgate, as ${role}.`,
    ],
    link: { label: 'Accept the invitation', url },
    closing: [`The link works once, for ${days} days.`, NOT_YOU],
  });
}

/** A link to set a new password. */
export function passwordResetMail({ to, url, minutes }: { to: string; url: string; minutes: number }): Mail {
  return renderMail({
    kind: 'password_reset',
    to,
    subject: 'Set a new password for Tollgate',
    paragraphs: ['Someone, probably you, asked to set a new password for your Tollgate console.'],
    link: { label: 'Set a new password', url },
    closing: [
      `The link works once, for ${minutes} minutes.`,
      'If it was not you, ignore this e-mail; your password stays as it is.',
    ],
  });
}

/** A notice that a password was set. */
export function passwordChangedMail({ to, consoleUrl }: { to: string; consoleUrl: string }): Mail {
  return renderMail({
    kind: 'password_changed',
    to,
    subject: 'Your Tollgate password was changed',
    paragraphs: [
      `The password of your account at ${consoleUrl} was changed. All other sessions have ended.`,
      'If it was not you, set a new password from the sign-in page now, and tell an operator.',
    ],
    closing: [],
  });
}

/** An alert about the money of an account. */
export function alertMail(alert: {
  id: string;
  to: string;
  accountName: string;
  title: string;
  sentence: string;
  happenedAt: Date;
  /** Further such alerts of the day are not mailed. */
  isLastOfDay: boolean;
  /** Where something can be done about it. */
  link: { label: string; url: string };
  alertsUrl: string;
}): Mail {
  const { id, to, accountName, title, sentence, happenedAt, isLastOfDay, link, alertsUrl } = alert;
  const mail = renderMail({
    kind: 'alert',
    to,
    subject: `${accountName} on Tollgate: ${title}`,
    paragraphs: [
      `${accountName} on Tollgate, ${happenedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC:`,
      sentence,
    ],
    link,
    closing: [
      ...(isLastOfDay ? ['This is the last such e-mail for the next 24 hours. The Alerts page lists all.'] : []),
      `Owners and billing members get these e-mails. To change when, or to turn them off: ${alertsUrl}`,
    ],
  });
  return { ...mail, id };
}

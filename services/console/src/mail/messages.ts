import type { RoleName } from '@tollgate/common/actors/roles';
import type { Mail } from './mailer.ts';
import { renderMail } from './render-mail.ts';

/** Characters of a quotation: enough for an e-mail address, too few for an advertisement. */
const MAX_QUOTED = 64;
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
    subject: accountName === undefined ? 'Invitation to operate Tollgate' : 'Invitation to an account on Tollgate',
    paragraphs: [
      accountName === undefined
        ? `${quoted(invitedBy)} invites you to be an operator of Tollgate.`
        : `${quoted(invitedBy)} invites you to the account ${quoted(accountName)} on Tollgate, as ${role}.`,
    ],
    link: { label: 'Accept the invitation', url },
    closing: [`The link works once, for ${days} days.`, NOT_YOU],
  });
}

/**
 * What somebody else has written, as a stranger is mailed it: a short quotation in one line, without control or formatting
 * characters, which cannot pass for words of Tollgate.
 */
function quoted(text: string): string {
  const plain = text
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(/[\u201C\u201D"]/g, "'")
    .trim();
  const characters = Array.from(plain);
  const short = characters.length <= MAX_QUOTED ? plain : `${characters.slice(0, MAX_QUOTED - 1).join('')}\u2026`;
  return `\u201C${short}\u201D`;
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

/** An e-mail about an event of an account. */
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
  /** Why the recipient gets it. */
  why: string;
}): Mail {
  const { id, to, accountName, title, sentence, happenedAt, isLastOfDay, link, why } = alert;
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
      ...(isLastOfDay ? ['This is the last such e-mail for the next 24 hours. The console lists all.'] : []),
      why,
    ],
  });
  return { ...mail, id };
}

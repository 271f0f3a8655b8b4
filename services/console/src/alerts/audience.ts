import { AlertAudience, type ListAlertRecipientsRequest } from '@tollgate/proto/auth';

type Audience = Pick<ListAlertRecipientsRequest, 'audience' | 'personId'>;

const OF_MONEY: Audience = { audience: AlertAudience.UNSPECIFIED, personId: '' };

/** Whom an event is mailed to. */
export function audienceOf(type: string, data: unknown): Audience {
  if (type === 'limit.requested') return { audience: AlertAudience.LIMITS, personId: '' };
  const personId = isAnswer(type) ? personOf(data) : undefined;
  return personId === undefined ? OF_MONEY : { audience: AlertAudience.PERSON, personId };
}

/** Whether an event answers who asked for a higher limit. */
function isAnswer(type: string): boolean {
  return type === 'limit.granted' || type === 'limit.declined';
}

function personOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('person_id' in data)) return undefined;
  return typeof data.person_id === 'string' ? data.person_id : undefined;
}

/** Why somebody gets the e-mail of an event, and where to change that. @param alertsUrl the page of alerts */
export function whyMailed(type: string, alertsUrl: string): string {
  if (type === 'limit.requested') return 'Owners and admins get these e-mails, because they may raise limits.';
  if (isAnswer(type)) return 'You get this e-mail because you asked for the limit.';
  return `Owners and billing members get these e-mails. To change when, or to turn them off: ${alertsUrl}`;
}

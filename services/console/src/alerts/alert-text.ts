import { CEILING_PERIODS } from '@tollgate/common/cap-periods';
import { z } from 'zod';
import { cents, dollars, end } from './amounts-and-times.ts';
import { capName, ownerOf, renewal } from './cap-text.ts';
import { limitRequestData, limitRequestText } from './limit-request-text.ts';
import type { AlertingEvent } from './queue-mails.ts';
import { pauseText, topUpData } from './top-up-text.ts';

/** What the ledger and payments send with their events; amounts are decimal dollars. */
const alertData = z
  .object({
    threshold: z.string(),
    balance: z.string(),
    owed: z.string(),
    key_id: z.string(),
    key_name: z.string(),
    scope: z.string(),
    node_name: z.string(),
    period: z.enum(CEILING_PERIODS),
    percent: z.string(),
    limit: z.string(),
    spent: z.string(),
    resets_at: z.string(),
    kind: z.string(),
    ends_at: z.string(),
    ...topUpData,
    ...limitRequestData,
  })
  .partial()
  // An event of a later version must neither break the page nor stop the e-mails.
  .catch({});

/** What an event says: in a few words, and as one or two sentences. */
export function alertText(type: string, data: unknown): { title: string; sentence: string } {
  const {
    threshold,
    balance,
    owed,
    percent,
    limit,
    spent,
    kind,
    amount,
    ends_at: endsAt,
    ...cap
  } = alertData.parse(data);
  switch (type) {
    case 'cap.low':
      return {
        // Events of earlier versions are all of this part.
        title: `the ${ownerOf(cap)} has spent ${percent ?? '80'} % of its cap`,
        sentence: `The ${ownerOf(cap)} has spent ${cents(spent)} of its ${capName(cap)} of ${dollars(limit)}.${renewal(cap)}`,
      };
    case 'cap.reached':
      return {
        title: `the ${ownerOf(cap)} has reached its cap`,
        sentence: `The ${ownerOf(cap)} has reached its ${capName(cap)} of ${dollars(limit)}. Its requests are refused until the cap is raised.${renewal(cap)}`,
      };
    case 'balance.low':
      return {
        title: `balance at ${cents(balance)}`,
        sentence:
          balance === '0'
            ? 'The balance fell to $0.00. Requests are refused until the account is topped up.'
            : `The balance fell to ${cents(balance)}, to or below the threshold of ${dollars(threshold)}.`,
      };
    case 'account.suspended':
      return {
        title: `requests are refused until ${dollars(owed)} is paid`,
        sentence: `The account owes ${dollars(owed)}. Its requests are refused until it is paid.`,
      };
    case 'account.unsuspended':
      return {
        title: 'requests are accepted again',
        sentence: `The account owes nothing any more. Its requests are accepted, and its balance is ${cents(balance)}.`,
      };
    case 'credit.expiring':
      return {
        title: `${cents(amount)} of credit ends at ${end(endsAt)}`,
        sentence: `${cents(amount)} of ${kind} credit is left that ends at ${end(endsAt)}. What is not spent by then is lost.`,
      };
    case 'credit.expired':
      return {
        title: `${cents(amount)} of credit has ended`,
        sentence: `${cents(amount)} of ${kind} credit was not spent before it ended at ${end(endsAt)}.`,
      };
    case 'limit.requested':
    case 'limit.granted':
    case 'limit.declined':
      return limitRequestText(type, alertData.parse(data));
    case 'top_up.paused':
      return pauseText(alertData.parse(data));
    default:
      return { title: type, sentence: `${type}, at a balance of ${cents(balance)}.` };
  }
}

/** The key that an event concerns. */
export function keyOf(data: unknown): string | undefined {
  return alertData.parse(data).key_id;
}

/** Whether an event is about a cap, of a key or of a node above keys. */
export function isAboutCap(type: string): boolean {
  return type === 'cap.low' || type === 'cap.reached';
}

/** Whether an event is about a higher limit that somebody asks for. */
export function isAboutLimitRequest(type: string): boolean {
  return type.startsWith('limit.');
}

/** Whether an event is mailed: a session, as clients name it, has a limit so that it ends there. */
export function isMailed({ type, dataJson }: Pick<AlertingEvent, 'type' | 'dataJson'>): boolean {
  return !isAboutCap(type) || alertData.parse(JSON.parse(dataJson)).scope !== 'session';
}

/** Whether somebody is asked to confirm a payment. */
export function needsConfirmation({ type, data }: { type: string; data: unknown }): boolean {
  return type === 'top_up.paused' && alertData.parse(data).reason === 'confirmation';
}

/** The threshold that a balance fell to or below, in dollars. */
export function thresholdOf({ type, dataJson }: AlertingEvent): number | undefined {
  if (type !== 'balance.low') return undefined;
  const { threshold } = alertData.parse(JSON.parse(dataJson));
  return threshold === undefined ? undefined : Number(threshold);
}

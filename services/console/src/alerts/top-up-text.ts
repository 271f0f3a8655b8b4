import { z } from 'zod';
import { dollars, minute } from './amounts-and-times.ts';

/** What payments sends with the event of a pause; amounts are decimal dollars, times RFC 3339. */
export const topUpData = {
  reason: z.string(),
  method: z.string(),
  amount: z.string(),
  monthly_max: z.string(),
  failure: z.string(),
  until: z.string(),
  confirm_until: z.string(),
};

type Data = { [Name in keyof typeof topUpData]?: string | undefined };

/** Why an automatic top-up is paused, and what to do about it. */
export function pauseText(data: Data): { title: string; sentence: string } {
  const { reason, method: card = 'the card', amount, monthly_max, failure = '', until, confirm_until } = data;
  const why = failure === '' ? '' : ` (${failure.replaceAll('_', ' ')})`;
  const paused = 'automatic top-up is paused';
  switch (reason) {
    case 'confirmation':
      return {
        title: `confirm the automatic payment of ${dollars(amount)}`,
        sentence: `The bank of ${card} wants its holder to confirm the automatic payment of ${dollars(amount)}. It can be confirmed on the page Top up until ${minute(confirm_until)}. Automatic top-up is paused until then.`,
      };
    case 'retry':
      return {
        title: 'an automatic payment was declined',
        sentence: `The automatic payment of ${dollars(amount)} by ${card} was declined${why}. It is tried again at ${minute(until)}.`,
      };
    case 'declined':
      return {
        title: `${paused}: the card was declined`,
        sentence: `The automatic payment of ${dollars(amount)} by ${card} was declined${why}. Automatic top-up is paused until somebody chooses another card or resumes it.`,
      };
    case 'card_removed':
      return {
        title: `${paused}: its card was removed`,
        sentence: `The card ${card} was removed, so automatic top-up is paused. Choose another card to go on.`,
      };
    case 'monthly_max':
      return {
        title: `${paused}: its monthly maximum is reached`,
        sentence: `The monthly maximum of ${dollars(monthly_max)} is reached. Automatic top-up goes on at ${minute(until)}, or when the maximum is raised.`,
      };
    case 'daily_limit':
      return {
        title: `${paused}: the limit of payments is reached`,
        sentence:
          'The account may pay in no more now: what it paid within 24 hours has reached its limit. Automatic top-up goes on by itself.',
      };
    case 'dispute':
      return {
        title: `${paused}: a payment is disputed`,
        sentence:
          'A payment of the account is disputed, so no card is charged. Once that is decided, resume automatic top-up.',
      };
    default:
      return {
        title: paused,
        sentence: `The automatic payment by ${card} was refused${why}. Automatic top-up is paused until somebody resumes it.`,
      };
  }
}

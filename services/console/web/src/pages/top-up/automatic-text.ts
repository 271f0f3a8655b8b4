import type { Output } from '../../api/client.ts';
import type { Tone } from '../../components/badge.tsx';
import { paidMoney } from '../../format/money.ts';
import { cardName } from './payment-text.ts';

export type AutomaticTopUp = Output<'GET /accounts/{account_id}/automatic-top-up'>;
type Rule = NonNullable<AutomaticTopUp['rule']>;

/** A card that is written as `visa 4242`. */
export function methodName(method: string): string {
  const [brand = '', ...rest] = method.split(' ');
  return cardName(brand, rest.join(' '));
}

/** What happens when, in one sentence. */
export function ruleText({ threshold, target, monthly_max, method }: Rule): string {
  return `When the balance falls to ${paidMoney(threshold)}, ${methodName(method)} is charged what is missing to ${paidMoney(target)}: at most ${paidMoney(monthly_max)} in a month.`;
}

export interface PauseText {
  tone: Tone;
  title: string;
  text: string;
  /** It has to be changed before it can go on. */
  needsCard: boolean;
}

/** Why it is paused, and what to do. `until` is when it goes on by itself. */
export function pauseText(topUp: AutomaticTopUp, until: string): PauseText | null {
  const { pause_reason: reason, rule, failure } = topUp;
  if (reason === null || rule === null) return null;
  const card = methodName(rule.method);
  const why = failure === null ? '' : ` (${failure.replaceAll('_', ' ')})`;
  const pause = (title: string, text: string, tone: Tone = 'warn', needsCard = false) => ({
    tone,
    title,
    text,
    needsCard,
  });
  switch (reason) {
    case 'confirmation':
      return topUp.confirm === null
        ? pause(
            'Paused: a payment was not confirmed',
            `The bank of ${card} wants payments to be confirmed. Resume to try again, or choose another card.`,
          )
        : pause(
            `Paused: confirm the payment of ${paidMoney(topUp.confirm.amount)}`,
            `The bank of ${card} wants its holder to confirm. Once it is paid, automatic top-up goes on.`,
          );
    case 'retry':
      return pause('The card was declined', `${card} was declined${why}. It is charged again ${until}.`);
    case 'declined':
      return pause(
        'Paused: the card was declined',
        `${card} was declined${why}. Choose another card, or resume to try again.`,
        'bad',
      );
    case 'card_removed':
      return pause('Paused: the card was removed', `Choose another card than ${card} to go on.`, 'warn', true);
    case 'monthly_max':
      return pause(
        'Paused: the monthly maximum is reached',
        `It goes on ${until}, or once the maximum of ${paidMoney(rule.monthly_max)} is raised.`,
      );
    case 'daily_limit':
      return pause(
        'Paused: the limit of payments is reached',
        'The account may pay in no more now. It goes on by itself.',
      );
    case 'dispute':
      return pause('Paused: a payment is disputed', 'Once that is decided, resume it.');
    case 'refused':
      return pause(
        'Paused: the charge was refused',
        `The payment provider refused to charge ${card}${why}. Choose another card, or resume to try again.`,
        'bad',
      );
    default:
      return reason satisfies never;
  }
}

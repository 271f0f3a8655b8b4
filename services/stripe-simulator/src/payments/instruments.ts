/** Why a payment method is refused, in Stripe's codes. */
export interface Decline {
  code: 'card_declined' | 'expired_card' | 'processing_error' | 'authentication_required';
  declineCode: string;
  /** What the card's bank advises. */
  adviceCode?: 'do_not_try_again' | 'try_again_later' | undefined;
  message: string;
}

/** What happens when a payment method is charged. */
export type Reaction =
  | { kind: 'succeed' }
  | { kind: 'decline'; decline: Decline }
  /** The owner must approve; without the owner the payment is declined. */
  | { kind: 'authenticate' }
  /** A bank answers days later. */
  | { kind: 'settle_later'; fails: boolean };

/** A payment method that pays as its name says. */
export interface Instrument {
  /** Name at Stripe, with which the API takes it as a payment method. */
  token: string;
  /** What the checkout page calls it. */
  label: string;
  type: 'card' | 'us_bank_account';
  brand: string;
  last4: string;
  /** With its owner at the checkout page. */
  present: Reaction;
  /** When a saved one is charged without its owner. */
  absent: Reaction;
}

const SUCCEED: Reaction = { kind: 'succeed' };

/** @returns the decline that Stripe names so */
export function declineOf(declineCode: string): Decline {
  switch (declineCode) {
    case 'insufficient_funds':
      return { code: 'card_declined', declineCode, message: 'Your card has insufficient funds.' };
    case 'expired_card':
      return { code: 'expired_card', declineCode, message: 'Your card has expired.' };
    case 'processing_error':
      return {
        code: 'processing_error',
        declineCode,
        message: 'An error occurred while processing your card. Try again in a little bit.',
      };
    case 'authentication_required':
      return {
        code: 'authentication_required',
        declineCode,
        message:
          'Your card was declined. This transaction requires authentication. Try again when the customer is present.',
      };
    default:
      return { code: 'card_declined', declineCode, message: 'Your card was declined.' };
  }
}

const decline = (declineCode: string): Reaction => ({ kind: 'decline', decline: declineOf(declineCode) });

/** What can be paid with, by the names that the checkout page and tests use. */
export const INSTRUMENTS = {
  card: {
    token: 'pm_card_visa',
    label: 'Card that works',
    type: 'card',
    brand: 'visa',
    last4: '4242',
    present: SUCCEED,
    absent: SUCCEED,
  },
  declined: {
    token: 'pm_card_visa_chargeDeclinedInsufficientFunds',
    label: 'Card that is declined for insufficient funds',
    type: 'card',
    brand: 'visa',
    last4: '9995',
    present: decline('insufficient_funds'),
    absent: decline('insufficient_funds'),
  },
  authenticate: {
    token: 'pm_card_authenticationRequired',
    label: 'Card that needs 3-D Secure',
    type: 'card',
    brand: 'visa',
    last4: '3184',
    present: { kind: 'authenticate' },
    absent: { kind: 'authenticate' },
  },
  declined_later: {
    token: 'pm_card_chargeCustomerFail',
    label: 'Card that works now and is declined when it is charged later',
    type: 'card',
    brand: 'visa',
    last4: '0341',
    present: SUCCEED,
    absent: decline('generic_decline'),
  },
  bank_debit: {
    token: 'pm_usBankAccount_success',
    label: 'Bank debit that settles later',
    type: 'us_bank_account',
    brand: 'STRIPE TEST BANK',
    last4: '6789',
    present: { kind: 'settle_later', fails: false },
    absent: { kind: 'settle_later', fails: false },
  },
  bank_debit_fails: {
    token: 'pm_usBankAccount_insufficientFunds',
    label: 'Bank debit that fails later',
    type: 'us_bank_account',
    brand: 'STRIPE TEST BANK',
    last4: '1116',
    present: { kind: 'settle_later', fails: true },
    absent: { kind: 'settle_later', fails: true },
  },
} as const satisfies Record<string, Instrument>;

export type InstrumentName = keyof typeof INSTRUMENTS;

/** @returns whether there is an instrument of this name */
export function isInstrument(name: string): name is InstrumentName {
  return Object.hasOwn(INSTRUMENTS, name);
}

/** @param token a payment method as tests name it at Stripe, such as `pm_card_visa` */
export function instrumentOf(token: string): Instrument | undefined {
  return Object.values(INSTRUMENTS).find((instrument) => instrument.token === token);
}

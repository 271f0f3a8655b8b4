const NOT_PAID = 'It was not paid in time.';
const NOT_CHARGED = 'The payment provider did not charge the card.';
const OTHER_CARD = 'Use another card, or ask the bank that issued this one.';

/** What the payment provider says of a payment that was refused, in words. Banks do not say why they refuse most of them. */
const SENTENCES: Readonly<Record<string, string>> = {
  authentication_required: 'The bank requires that the payment is confirmed. Try again and confirm it with the bank.',
  payment_intent_authentication_failure: 'The payment was not confirmed with the bank. Try again and confirm it.',
  card_not_supported: `The card cannot be used for this. ${OTHER_CARD}`,
  card_velocity_exceeded: `The card has reached a limit of its bank. ${OTHER_CARD}`,
  currency_not_supported: `The card does not take this currency. ${OTHER_CARD}`,
  dropped: 'Automatic top-up was switched off or changed before the card was charged.',
  expired: NOT_PAID,
  superseded: NOT_CHARGED,
  unanswered: NOT_CHARGED,
  expired_card: 'The card has expired. Use another card.',
  incorrect_cvc: 'The security code of the card is wrong. Try again.',
  invalid_cvc: 'The security code of the card is wrong. Try again.',
  incorrect_number: 'The number of the card is wrong. Try again.',
  invalid_number: 'The number of the card is wrong. Try again.',
  incorrect_zip: 'The postal code does not match the card. Try again.',
  invalid_expiry_month: 'The expiry date of the card is wrong. Try again.',
  invalid_expiry_year: 'The expiry date of the card is wrong. Try again.',
  insufficient_funds: 'The card does not have enough money. Pay less, or use another card.',
  amount_too_large: 'The amount is too large for the card. Pay less, or use another card.',
  withdrawal_count_limit_exceeded: 'The amount is too large for the card. Pay less, or use another card.',
  issuer_not_available: 'The bank of the card did not answer. Try again in a few minutes.',
  processing_error: 'The card could not be processed. Try again in a few minutes.',
  try_again_later: 'The bank asks to try again later.',
};

/** Why the last attempt to pay failed, and what to do. Null: nobody tried, and the time to pay has passed. */
export function failureText(failure: string | null): string {
  if (failure === null) return NOT_PAID;
  const known = Object.hasOwn(SENTENCES, failure) ? SENTENCES[failure] : undefined;
  return known ?? `The card was declined. ${OTHER_CARD}`;
}

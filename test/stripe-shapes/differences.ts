/**
 * Where the simulator differs from stripe-mock v0.203.0, which describes version 2026-08-26.dahlia of the API, and why. The
 * official library, whose types the simulator has, is at 2026-10-28.endive.
 */
const NEWER = 'endive has it';
const OPTIONAL = 'described as optional, and not in the examples of stripe-mock';

export const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  'charge.payment_method_details.card.electronic_commerce_indicator: is not there': NEWER,
  'charge.source: is not there': NEWER,
  'checkout_session.allowed_payment_method_types: is not there': NEWER,
  'dispute.evidence_details.submission_method: is not there': NEWER,
  'dispute.intended_submission_method: is not there': NEWER,
  'payment_intent.automatic_payment_methods.allow_redirects: is not there': OPTIONAL,
  'payment_intent.payment_record: is not there': NEWER,
  'payment_intent.source: is not there': NEWER,
};

import type { Stripe } from 'stripe';

/** The fields of an error object, beside its message. */
export interface FailureFields {
  type?: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  code?: string;
  param?: string;
  decline_code?: string;
  charge?: string;
  payment_intent?: Stripe.PaymentIntent;
  payment_method?: Stripe.PaymentMethod;
}

/** A refusal, as the API answers it. */
export class StripeFailure extends Error {
  override readonly name = 'StripeFailure';
  readonly status: number;
  readonly fields: FailureFields;

  constructor(status: number, message: string, fields: FailureFields = {}) {
    super(message);
    this.status = status;
    this.fields = fields;
  }

  /** The body of the answer. */
  toJSON(): object {
    return { error: { type: 'invalid_request_error', ...this.fields, message: this.message } };
  }
}

/** @returns a refusal that names the parameter at fault */
export function badParameter(param: string, message: string, code?: string): StripeFailure {
  return new StripeFailure(400, message, { param, ...(code === undefined ? {} : { code }) });
}

/** @param kind as Stripe writes it, such as `payment_intent` */
export function missing(kind: string, id: string, param = 'id', status = 404): StripeFailure {
  return new StripeFailure(status, `No such ${kind}: '${id}'`, { code: 'resource_missing', param });
}

/** @returns a refusal because of the state that an object is in */
export function badState(message: string, code: string, fields: FailureFields = {}): StripeFailure {
  return new StripeFailure(400, message, { ...fields, code });
}

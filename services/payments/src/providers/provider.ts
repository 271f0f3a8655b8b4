import type { Origin } from './origin.ts';

/** What a payment is called at the payment provider. One of the two may not be known. */
export interface PaymentRef {
  checkoutId?: string | undefined;
  providerPayment?: string | undefined;
}

/** A refund as the payment provider has it. Amounts are cents and may contain taxes. */
export interface RefundSnapshot {
  id: string;
  cents: bigint;
  state: 'pending' | 'succeeded' | 'failed';
  createdAtMs: number;
  /** Set if it was begun here: the id and the credit that it takes. */
  ours: { refundId: string; creditNanos: bigint } | undefined;
}

/** A payment that its payer took back, or asks about. */
export interface DisputeSnapshot {
  id: string;
  cents: bigint;
  /** Its money was withdrawn from us. */
  withdrawn: boolean;
  /** It was decided for us, and its money returned. */
  won: boolean;
  /** It may still change. */
  open: boolean;
  createdAtMs: number;
}

/** An attempt to pay with a card that its bank, or the provider, refused. */
export interface FailedCard {
  id: string;
  failedAtMs: number;
}

export type ProviderPaymentState = 'unpaid' | 'processing' | 'succeeded' | 'canceled';

/** A payment as the payment provider has it. */
export interface PaymentSnapshot {
  id: string;
  /** ISO 4217, lower case. */
  currency: string;
  /** To be paid, taxes included. */
  cents: bigint;
  receivedCents: bigint;
  state: ProviderPaymentState;
  origin: Origin | 'malformed' | undefined;
  /** Such as `visa 4242`. */
  method: string | undefined;
  /** Why the last attempt to pay failed. */
  failure: string | undefined;
  failedCards: readonly FailedCard[];
  /** The card's bank says not to try again. */
  failureIsFinal?: boolean;
  refunds: readonly RefundSnapshot[];
  disputes: readonly DisputeSnapshot[];
}

/** The page at the payment provider where a person pays. */
export interface CheckoutSnapshot {
  id: string;
  state: 'open' | 'complete' | 'expired';
  origin: Origin | 'malformed' | undefined;
}

/** What the payment provider knows of a payment; the part that was not asked for, or does not exist, is absent. */
export interface Fetched {
  checkout: CheckoutSnapshot | undefined;
  payment: PaymentSnapshot | undefined;
}

export interface CheckoutOptions {
  origin: Origin;
  customerId: string;
  amountCents: bigint;
  saveMethod: boolean;
  successUrl: string;
  cancelUrl: string;
  expiresAtMs: number;
  idempotencyKey: string;
}

/** A charge of a saved card without its holder. */
export interface ChargeOptions {
  origin: Origin;
  customerId: string;
  methodId: string;
  amountCents: bigint;
  idempotencyKey: string;
}

export interface RefundOptions {
  providerPayment: string;
  refundId: string;
  creditNanos: bigint;
  cents: bigint;
}

export interface SavedMethod {
  id: string;
  brand: string;
  last4: string;
  expiresMonth: number;
  expiresYear: number;
}

export const LISTED_KINDS = ['payment', 'refund', 'dispute'] as const;
export type ListedKind = (typeof LISTED_KINDS)[number];

/** An object in a list, with the payment that it belongs to. */
export interface ListedObject {
  id: string;
  providerPayment: string;
  /** Undefined where the list does not say. */
  installationId: string | undefined;
  what:
    | { kind: 'payment'; state: ProviderPaymentState }
    | { kind: 'refund'; refund: RefundSnapshot }
    | { kind: 'dispute'; dispute: DisputeSnapshot };
}

export interface ListWindow {
  kind: ListedKind;
  /** Created in this time, the end excluded. */
  fromMs: number;
  endMs: number;
  /** The last object of the page before. */
  afterId: string | undefined;
}

export interface ListPage {
  /** Newest first. */
  objects: readonly ListedObject[];
  /** Undefined: it was the last page. */
  nextAfterId: string | undefined;
}

export interface WebhookRequest {
  body: Buffer;
  signature: string;
}

/** An event that the provider has signed. Only its payment counts; undefined: it concerns none. */
export interface WebhookEvent {
  id: string;
  type: string;
  ref: PaymentRef | undefined;
}

/** The pages, events and objects of one company that takes payments. */
export interface Provider {
  /** Begins the idempotency keys of its movements. */
  readonly name: string;
  /** Creates a customer once for each key. */
  createCustomer: (accountId: string, installationId: string, idempotencyKey: string) => Promise<string>;
  /** Creates the page of a payment; the same key gets the same one. */
  createCheckout: (options: CheckoutOptions) => Promise<{ checkoutId: string; url: string }>;
  /**
   * Charges a saved card once for its key. Whether it was declined is for `fetch` to say.
   *
   * @returns the provider's id of the payment
   */
  chargeSaved: (options: ChargeOptions) => Promise<string>;
  /** The provider's id of one of a customer's payments, made since a time; undefined: there is none. */
  findPayment: (sought: { customerId: string; paymentId: string; sinceMs: number }) => Promise<string | undefined>;
  /** @throws SignatureError unless the provider sent it a moment ago */
  parseWebhook: (request: WebhookRequest) => WebhookEvent;
  /** Undefined: the provider knows neither of the ids. */
  fetch: (ref: PaymentRef) => Promise<Fetched | undefined>;
  listSince: (window: ListWindow) => Promise<ListPage>;
  /** Refunds once for each refundId; returns the provider's id. */
  refund: (options: RefundOptions) => Promise<string>;
  listMethods: (customerId: string) => Promise<SavedMethod[]>;
  /** Returns what was removed; undefined: the customer has no such method. */
  removeMethod: (customerId: string, methodId: string) => Promise<SavedMethod | undefined>;
}

/**
 * A failed call of the payment provider. `refused`: it will not do this, whoever asks again; `unavailable`: whether it did is
 * not known, or it may do so later; `no_customer`: the customer was removed there.
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind: 'refused' | 'unavailable' | 'no_customer';
  /** The provider's name of the problem, such as `charge_already_refunded`. */
  readonly code: string;

  constructor(kind: ProviderError['kind'], code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.code = code;
  }
}

/** The code of a ProviderError: the idempotency key was used for something else. */
export const KEY_USED = 'idempotency_key_used';

/** An event that the provider did not sign, or too long ago, or that cannot be read. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
}

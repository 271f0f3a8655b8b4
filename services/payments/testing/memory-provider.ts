import { createHmac } from 'node:crypto';
import type { Origin } from '../src/providers/origin.ts';
import {
  type ChargeOptions,
  type CheckoutOptions,
  type CheckoutSnapshot,
  type DisputeSnapshot,
  type FailedCard,
  type Fetched,
  type ListedObject,
  type ListPage,
  type ListWindow,
  type PaymentRef,
  type PaymentSnapshot,
  type Provider,
  ProviderError,
  type RefundOptions,
  type RefundSnapshot,
  type SavedMethod,
  SignatureError,
  type WebhookEvent,
  type WebhookRequest,
} from '../src/providers/provider.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type StoredPayment = Mutable<PaymentSnapshot> & {
  createdAtMs: number;
  failedCards: FailedCard[];
  refunds: RefundSnapshot[];
  disputes: DisputeSnapshot[];
};
interface StoredCheckout extends CheckoutSnapshot {
  options: CheckoutOptions;
  paymentId: string | undefined;
}

/** What goes wrong with the next call of a method: before it has an effect, or after. */
interface Fault {
  when: 'before' | 'after';
  error: Error;
}

/** A payment provider in memory, of which tests say what payers do. */
export class MemoryProvider implements Provider {
  readonly name = 'stripe';
  readonly calls: string[] = [];
  readonly methods = new Map<string, SavedMethod[]>();
  pageSize = 100;
  readonly #customers = new Map<string, string>();
  readonly #checkouts = new Map<string, StoredCheckout>();
  readonly #payments = new Map<string, StoredPayment>();
  readonly #chargeKeys = new Map<string, string>();
  readonly #refundKeys = new Map<string, string>();
  readonly #faults = new Map<string, Fault[]>();
  readonly #secret: string;
  readonly #now: () => number;
  #counter = 0;

  constructor({ secret = 'secret', now = () => Date.now() }: { secret?: string; now?: () => number } = {}) {
    this.#secret = secret;
    this.#now = now;
  }

  /** Lets the next call of a method fail. */
  failNext(method: string, fault: Fault): void {
    this.#faults.set(method, [...(this.#faults.get(method) ?? []), fault]);
  }

  /** Lets the next call of a method fail, as when the network does. */
  loseNext(method: string, when: Fault['when']): void {
    this.failNext(method, { when, error: new ProviderError('unavailable', 'connection', 'the connection was lost') });
  }

  createCustomer(accountId: string, _installationId: string, idempotencyKey: string): Promise<string> {
    return this.#call('createCustomer', () => {
      const known = this.#customers.get(idempotencyKey);
      const id = known ?? this.#newId('cus');
      this.#customers.set(idempotencyKey, id);
      if (!this.methods.has(id)) this.methods.set(id, []);
      if (accountId === '') throw new Error('an account is missing');
      return id;
    });
  }

  createCheckout(options: CheckoutOptions): Promise<{ checkoutId: string; url: string }> {
    return this.#call('createCheckout', () => {
      const known = [...this.#checkouts.values()].find(
        (each) => each.options.idempotencyKey === options.idempotencyKey,
      );
      if (known !== undefined) return { checkoutId: known.id, url: `https://pay.test/${known.id}` };
      const id = this.#newId('cs');
      this.#checkouts.set(id, { id, state: 'open', origin: options.origin, options, paymentId: undefined });
      return { checkoutId: id, url: `https://pay.test/${id}` };
    });
  }

  chargeSaved({ origin, amountCents, idempotencyKey }: ChargeOptions): Promise<string> {
    return this.#call('chargeSaved', () => {
      const known = this.#chargeKeys.get(idempotencyKey);
      const id = known ?? this.addPayment({ origin, cents: amountCents, receivedCents: amountCents });
      this.#chargeKeys.set(idempotencyKey, id);
      return id;
    });
  }

  findPayment({ paymentId }: { paymentId: string }): Promise<string | undefined> {
    return this.#call('findPayment', () => {
      const found = [...this.#payments.values()].find(
        ({ origin }) => typeof origin === 'object' && origin.paymentId === paymentId,
      );
      return found?.id;
    });
  }

  parseWebhook({ body, signature }: WebhookRequest): WebhookEvent {
    if (signature !== this.sign(body)) throw new SignatureError('the signature is not valid, or too old');
    return JSON.parse(body.toString('utf8')) as WebhookEvent;
  }

  /** The signature of an event. */
  sign(body: Buffer | string): string {
    return createHmac('sha256', this.#secret).update(body).digest('hex');
  }

  fetch(ref: PaymentRef): Promise<Fetched | undefined> {
    return this.#call('fetch', () => {
      const checkout = this.#checkouts.get(ref.checkoutId ?? '');
      const payment = this.#payments.get(ref.providerPayment ?? checkout?.paymentId ?? '');
      if (checkout === undefined && payment === undefined) return undefined;
      return structuredClone({
        checkout: checkout && { id: checkout.id, state: checkout.state, origin: checkout.origin },
        payment,
      });
    });
  }

  listSince({ kind, fromMs, endMs, afterId }: ListWindow): Promise<ListPage> {
    return this.#call('listSince', () => {
      const all = [...this.#payments.values()].flatMap((payment) => listed(kind, payment));
      const within = all
        .filter(({ createdAtMs }) => createdAtMs >= fromMs && createdAtMs <= endMs)
        .sort((a, b) => b.createdAtMs - a.createdAtMs)
        .map(({ object }) => object);
      const from = afterId === undefined ? 0 : within.findIndex(({ id }) => id === afterId) + 1;
      const page = within.slice(from, from + this.pageSize);
      return { objects: page, nextAfterId: from + this.pageSize < within.length ? page.at(-1)?.id : undefined };
    });
  }

  refund({ providerPayment, refundId, creditNanos, cents }: RefundOptions): Promise<string> {
    return this.#call('refund', () => {
      const known = this.#refundKeys.get(refundId);
      if (known !== undefined) return known;
      const id = this.addRefund(providerPayment, { cents, ours: { refundId, creditNanos } });
      this.#refundKeys.set(refundId, id);
      return id;
    });
  }

  listMethods(customerId: string): Promise<SavedMethod[]> {
    return this.#call('listMethods', () => this.methods.get(customerId) ?? []);
  }

  removeMethod(customerId: string, methodId: string): Promise<SavedMethod | undefined> {
    return this.#call('removeMethod', () => {
      const methods = this.methods.get(customerId) ?? [];
      const found = methods.find(({ id }) => id === methodId);
      this.methods.set(
        customerId,
        methods.filter((method) => method !== found),
      );
      return found;
    });
  }

  /** The payer pays at the page, unless `changes` say otherwise. @returns the payment's id */
  pay(checkoutId: string, changes: Partial<PaymentSnapshot> = {}): string {
    const checkout = this.#checkout(checkoutId);
    const { origin, amountCents } = checkout.options;
    const id = this.addPayment({ origin, cents: amountCents, receivedCents: amountCents, ...changes });
    const isOpen = changes.state === 'unpaid';
    this.#checkouts.set(checkoutId, { ...checkout, state: isOpen ? 'open' : 'complete', paymentId: id });
    return id;
  }

  /** The payer tries cards at the page that fail. @returns the payment's id */
  decline(checkoutId: string, count = 1): string {
    const known = this.#checkout(checkoutId).paymentId;
    const id = known ?? this.pay(checkoutId, { state: 'unpaid', receivedCents: 0n, method: undefined });
    this.change(id, { failure: 'card_declined' });
    for (let each = 0; each < count; each += 1) {
      this.#payment(id).failedCards.push({ id: this.#newId('ch'), failedAtMs: this.#now() });
    }
    return id;
  }

  /** A payment that this test made itself. @returns its id */
  addPayment(changes: Partial<PaymentSnapshot> & { origin?: Origin | 'malformed' | undefined } = {}): string {
    const id = this.#newId('pi');
    this.#payments.set(id, {
      id,
      currency: 'usd',
      cents: 10_000n,
      receivedCents: 10_000n,
      state: 'succeeded',
      origin: undefined,
      method: 'visa 4242',
      failure: undefined,
      createdAtMs: this.#now(),
      ...changes,
      failedCards: [],
      refunds: [],
      disputes: [],
    });
    return id;
  }

  change(paymentId: string, changes: Partial<PaymentSnapshot>): void {
    Object.assign(this.#payment(paymentId), changes);
  }

  expire(checkoutId: string): void {
    this.#checkouts.set(checkoutId, { ...this.#checkout(checkoutId), state: 'expired' });
  }

  /** As a day later, when the idempotency keys of refunds are no longer known. */
  forgetKeys(): void {
    this.#refundKeys.clear();
  }

  /** As a provider that lost its data. */
  forget(checkoutId: string): void {
    this.#checkouts.delete(checkoutId);
  }

  addRefund(paymentId: string, changes: Partial<RefundSnapshot> & { cents: bigint }): string {
    const id = this.#newId('re');
    const added = { id, state: 'succeeded' as const, createdAtMs: this.#now(), ours: undefined, ...changes };
    this.#payment(paymentId).refunds.push(added);
    return id;
  }

  changeRefund(refundId: string, state: RefundSnapshot['state']): void {
    for (const { refunds } of this.#payments.values()) {
      for (const refund of refunds) if (refund.id === refundId) refund.state = state;
    }
  }

  addDispute(paymentId: string, changes: Partial<DisputeSnapshot> & { cents: bigint }): string {
    const id = this.#newId('dp');
    const added = { id, withdrawn: true, won: false, open: true, createdAtMs: this.#now(), ...changes };
    this.#payment(paymentId).disputes.push(added);
    return id;
  }

  changeDispute(disputeId: string, changes: Partial<DisputeSnapshot>): void {
    for (const { disputes } of this.#payments.values()) {
      for (const dispute of disputes) if (dispute.id === disputeId) Object.assign(dispute, changes);
    }
  }

  refundsOf(paymentId: string): readonly RefundSnapshot[] {
    return this.#payment(paymentId).refunds;
  }

  get checkouts(): readonly StoredCheckout[] {
    return [...this.#checkouts.values()];
  }

  get customers(): readonly string[] {
    return [...new Set(this.#customers.values())];
  }

  async #call<T>(method: string, work: () => T): Promise<T> {
    this.calls.push(method);
    const fault = this.#faults.get(method)?.shift();
    if (fault?.when === 'before') throw fault.error;
    const result = work();
    if (fault !== undefined) throw fault.error;
    return result;
  }

  #newId(prefix: string): string {
    this.#counter += 1;
    return `${prefix}_${String(this.#counter).padStart(6, '0')}`;
  }

  #checkout(id: string): StoredCheckout {
    const found = this.#checkouts.get(id);
    if (found === undefined) throw new Error(`there is no checkout ${id}`);
    return found;
  }

  #payment(id: string): StoredPayment {
    const found = this.#payments.get(id);
    if (found === undefined) throw new Error(`there is no payment ${id}`);
    return found;
  }
}

function listed(kind: ListWindow['kind'], payment: StoredPayment): { createdAtMs: number; object: ListedObject }[] {
  const { origin } = payment;
  const installationId = typeof origin === 'object' ? origin.installationId : '';
  const of = { providerPayment: payment.id, installationId };
  switch (kind) {
    case 'payment': {
      const what = { kind, state: payment.state };
      return [{ createdAtMs: payment.createdAtMs, object: { id: payment.id, ...of, what } }];
    }
    case 'refund':
      return payment.refunds.map((refund) => ({
        createdAtMs: refund.createdAtMs,
        object: { id: refund.id, ...of, what: { kind, refund: structuredClone(refund) } },
      }));
    case 'dispute':
      return payment.disputes.map((dispute) => ({
        createdAtMs: dispute.createdAtMs,
        object: { id: dispute.id, ...of, what: { kind, dispute: structuredClone(dispute) } },
      }));
    default:
      return kind satisfies never;
  }
}

import type { Stripe } from 'stripe';
import type { Call, Calls } from '../api/calls.ts';
import { missing, StripeFailure } from '../api/failure.ts';
import type { Fault, Faults, Target } from '../api/faults.ts';
import { createPaymentMethod } from '../objects/payment-method.ts';
import { BANK_REFUSAL } from '../payments/attempt.ts';
import { answerChallenge, pay, type Step } from '../payments/checkout.ts';
import { closeDispute, type DisputeEnd, type DisputeOptions, dispute, escalate } from '../payments/disputes.ts';
import { type Decline, declineOf, INSTRUMENTS, type InstrumentName } from '../payments/instruments.ts';
import { attach, authenticate, capture, findIntent, settle } from '../payments/intents.ts';
import { failRefund, settleRefund } from '../payments/refunds.ts';
import { sessionOf } from '../payments/session-state.ts';
import { TestClock } from '../state/clock.ts';
import type { World } from '../state/world.ts';
import type { DeliverOptions, Delivery, Outbox } from '../webhooks/outbox.ts';

/** Every object that the simulator keeps, oldest first. */
export interface Objects {
  customers: Stripe.Customer[];
  payment_methods: Stripe.PaymentMethod[];
  checkout_sessions: Stripe.Checkout.Session[];
  payment_intents: Stripe.PaymentIntent[];
  charges: Stripe.Charge[];
  refunds: Stripe.Refund[];
  disputes: Stripe.Dispute[];
  balance_transactions: Stripe.BalanceTransaction[];
}

/** What tests do to the simulator that no caller of the API can. */
export class Control {
  readonly #world: World;
  readonly #outbox: Outbox;
  readonly #calls: Calls;
  readonly #faults: Faults;

  constructor(world: World, outbox: Outbox, calls: Calls, faults: Faults) {
    this.#world = world;
    this.#outbox = outbox;
    this.#calls = calls;
    this.#faults = faults;
  }

  /** All calls of the API with their parameters, oldest first. */
  calls(): readonly Call[] {
    return this.#calls.all();
  }

  objects(): Objects {
    const world = this.#world;
    return {
      customers: world.customers.all(),
      payment_methods: world.paymentMethods.all(),
      checkout_sessions: world.sessions.all(),
      payment_intents: world.paymentIntents.all(),
      charges: world.charges.all(),
      refunds: world.refunds.all(),
      disputes: world.disputes.all(),
      balance_transactions: world.balanceTransactions.all(),
    };
  }

  /** All events, oldest first. */
  events(): Stripe.Event[] {
    return this.#world.events.all();
  }

  /** Milliseconds since 1970 of the simulator's clock. */
  now(): number {
    return this.#world.clock.now();
  }

  /** Moves the clock, doing on the way what falls due. Throws if the simulator uses the time of the machine. */
  advance(ms: number): void {
    const { clock } = this.#world;
    if (!(clock instanceof TestClock)) throw new StripeFailure(400, 'The simulator uses the time of this machine.');
    clock.advance(ms);
  }

  /** Percent that automatic tax adds from now on. */
  setTaxPercent(percent: number): void {
    this.#world.taxPercent = percent;
  }

  /** Makes the next calls of the API go wrong. */
  fail(fault: Fault, target: Target = {}): void {
    this.#faults.plan(fault, target);
  }

  /** Forgets the faults that have not happened. */
  clearFaults(): void {
    this.#faults.clear();
  }

  /** Number of calls that are held. */
  heldCalls(): number {
    return this.#faults.held;
  }

  /** Lets held calls go on. */
  releaseCalls(): void {
    this.#faults.release();
  }

  /** From now on events wait for `deliver`. */
  holdWebhooks(): void {
    this.#outbox.hold();
  }

  /** Sends the events that wait, and from now on all at once. */
  resumeWebhooks(): void {
    this.#outbox.resume();
  }

  /** The events that wait, oldest first. */
  waitingEvents(): readonly Stripe.Event[] {
    return this.#outbox.waiting;
  }

  /** Delivers an event now, also one that was delivered before. */
  deliver(event: string, options: DeliverOptions = {}): Promise<Delivery> {
    return this.#outbox.deliver(found(this.#world.events.get(event), 'event', event), options);
  }

  /** Forgets an event that waits: it never arrives. */
  drop(event: string): void {
    this.#outbox.drop(event);
  }

  /** All attempts to deliver an event, oldest first. */
  deliveries(): readonly Delivery[] {
    return this.#outbox.deliveries;
  }

  /** Resolves once no event is on its way. Those that the receiver refused wait for the clock. */
  delivered(): Promise<void> {
    return this.#outbox.idle();
  }

  /** Pays a checkout session as its page does. */
  pay(session: string, instrument: InstrumentName = 'card'): Step {
    return pay(this.#world, found(this.#world.sessions.get(session), 'checkout.session', session), instrument);
  }

  /** The owner of the payment method approves a payment, or does not. */
  authenticate(intent: string, isApproved: boolean): void {
    const waiting = findIntent(this.#world, intent);
    const session = sessionOf(this.#world, waiting);
    if (session === undefined) authenticate(this.#world, waiting, isApproved);
    else answerChallenge(this.#world, session, waiting, isApproved);
  }

  /** Saves a payment method for a customer. */
  saveCard(customer: string, instrument: InstrumentName = 'card'): Stripe.PaymentMethod {
    const { email, name = null } = found(this.#world.customers.get(customer), 'customer', customer);
    const method = createPaymentMethod(this.#world, INSTRUMENTS[instrument], { email, name });
    attach(this.#world, method, customer);
    return method;
  }

  /** How a payment method reacts from now on when it is charged without its owner; a decline by its code at Stripe. */
  setReaction(
    paymentMethod: string,
    reaction: 'succeed' | 'authenticate' | { decline: string; advice?: Decline['adviceCode'] },
  ): void {
    const reactions = found(this.#world.reactions.get(paymentMethod), 'PaymentMethod', paymentMethod);
    reactions.absent =
      typeof reaction === 'string'
        ? { kind: reaction }
        : { kind: 'decline', decline: { ...declineOf(reaction.decline), adviceCode: reaction.advice } };
  }

  /** A bank debit is settled. */
  settle(intent: string): void {
    settle(this.#world, findIntent(this.#world, intent), undefined);
  }

  /** A bank debit fails. */
  failSettlement(intent: string): void {
    settle(this.#world, findIntent(this.#world, intent), BANK_REFUSAL);
  }

  /** Captures a held payment, or a part of it. */
  capture(intent: string, amount?: number): void {
    capture(this.#world, findIntent(this.#world, intent), amount);
  }

  dispute(charge: string, options: DisputeOptions = {}): Stripe.Dispute {
    return dispute(this.#world, found(this.#world.charges.get(charge), 'charge', charge), options);
  }

  /** An inquiry becomes a dispute, which moves money. */
  escalateDispute(id: string): void {
    escalate(this.#world, found(this.#world.disputes.get(id), 'dispute', id));
  }

  closeDispute(id: string, end: DisputeEnd): void {
    closeDispute(this.#world, found(this.#world.disputes.get(id), 'dispute', id), end);
  }

  /** A refund fails after it seemed to succeed. */
  failRefund(id: string, reason = 'lost_or_stolen_card'): void {
    failRefund(this.#world, found(this.#world.refunds.get(id), 'refund', id), reason);
  }

  /** A refund to a bank account arrives. */
  settleRefund(id: string): void {
    settleRefund(this.#world, found(this.#world.refunds.get(id), 'refund', id));
  }
}

function found<T>(object: T | undefined, kind: string, id: string): T {
  if (object === undefined) throw missing(kind, id);
  return object;
}

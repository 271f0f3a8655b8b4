import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import type { Payment } from '@tollgate/proto/payments';
import type { InstrumentName } from '@tollgate/stripe-simulator/payments/instruments';
import type { Random } from '@tollgate/test-support/random/random';
import type { Stripe } from 'stripe';
import { Account, CALL, CENT } from './account.ts';
import { TopUp } from './top-up.ts';
import type { World } from './world.ts';

type Action =
  | 'begin'
  | 'pay'
  | 'hold'
  | 'refund'
  | 'dashboard'
  | 'fail_refund'
  | 'dispute'
  | 'close'
  | 'spend'
  | 'look';

/** At first only these, because the others need what these make. */
const FIRST_ACTIONS: readonly [Action, ...Action[]] = ['begin', 'pay', 'pay', 'pay'];
const ACTIONS: readonly [Action, ...Action[]] = [
  ...([
    'begin',
    'pay',
    'pay',
    'hold',
    'refund',
    'refund',
    'dashboard',
    'dashboard',
    'fail_refund',
    'fail_refund',
  ] as const),
  ...(['dispute', 'dispute', 'dispute', 'close', 'close', 'close', 'spend', 'look'] as const),
];

/** Of three steps of an account with automatic top-up. */
const TOP_UP_STEPS = 2;

/** What happens to the payments of one account, at random; every second one is topped up automatically. */
export class History {
  readonly account: Account;
  readonly #world: World;
  readonly #random: Random;
  readonly #payments: Payment[] = [];
  readonly #topUp: TopUp | undefined;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
    this.account = new Account(world, random);
    this.#topUp = random.below(2) === 0 ? new TopUp(world, random, this.account) : undefined;
  }

  async step(): Promise<void> {
    const isPaid = this.account.intents().some(({ amount_received }) => amount_received > 0);
    if (isPaid && this.#topUp !== undefined && this.#random.below(3) < TOP_UP_STEPS) return this.#topUp.step();
    const action = this.#payments.length === 0 ? 'begin' : this.#random.pick(isPaid ? ACTIONS : FIRST_ACTIONS);
    switch (action) {
      case 'begin':
        return this.#begin();
      case 'pay':
        return this.#pay();
      case 'hold':
        return this.#hold();
      case 'refund':
        return this.#refund();
      case 'dashboard':
        return this.#refundAtDashboard();
      case 'fail_refund':
        return this.account.atStripe(() => this.#endRefund());
      case 'dispute':
        return this.account.atStripe(() => this.#dispute());
      case 'close':
        return this.account.atStripe(() => this.#closeDispute());
      case 'spend':
        return this.account.spend(this.#random.between(1, 15_000));
      case 'look':
        return this.#look();
      default:
        return action satisfies never;
    }
  }

  async #begin(): Promise<void> {
    const amountNanos = BigInt(this.#random.between(500, 20_000)) * CENT;
    const request = {
      accountId: this.account.id,
      amountNanos,
      saveMethod: this.#random.below(4) === 0,
      idempotencyKey: newId(),
      clientAddress: '',
    };
    const payment = await this.account.repeated((client) =>
      unaryCall(client.createCheckout.bind(client), request, CALL),
    );
    if (payment !== undefined) this.#payments.push(payment);
  }

  async #pay(): Promise<void> {
    const session = this.#sessionOf(this.#anyPayment());
    if (session?.status !== 'open') return;
    const instruments: readonly [InstrumentName, ...InstrumentName[]] = [
      ...(['card', 'card', 'card', 'declined', 'authenticate', 'bank_debit', 'bank_debit_fails'] as const),
    ];
    this.account.atStripe(() => {
      const step = this.#world.control.pay(session.id, this.#random.pick(instruments));
      if (step.kind !== 'authenticate') return;
      const intent = this.account.intents().find(({ status: state }) => state === 'requires_action');
      if (intent !== undefined) this.#world.control.authenticate(intent.id, this.#random.below(3) > 0);
    });
  }

  /** Money is held for the payment and a part of it captured, which other uses of Stripe than the checkout may do. */
  async #hold(): Promise<void> {
    const payment = this.#anyPayment();
    const session = this.#sessionOf(payment);
    if (session?.status !== 'open' || this.account.intents().some(({ metadata }) => isOf(metadata, payment))) return;
    await this.#world.callStripe(async (stripe) => {
      await stripe.checkout.sessions.expire(session.id);
      const held = await stripe.paymentIntents.create({
        amount: session.amount_total ?? 0,
        currency: 'usd',
        capture_method: 'manual',
        confirm: true,
        payment_method: 'pm_card_visa',
        metadata: session.metadata ?? {},
      });
      const part = this.#random.between(1, held.amount);
      await stripe.paymentIntents.capture(held.id, { amount_to_capture: part });
    });
  }

  async #refund(): Promise<void> {
    const { paymentId, amountNanos } = this.#anyPayment();
    const part = BigInt(this.#random.between(1, Number(amountNanos / CENT))) * CENT;
    const request = {
      accountId: this.account.id,
      paymentId,
      amountNanos: this.#random.below(3) === 0 ? amountNanos : part,
      reason: 'at random',
      idempotencyKey: newId(),
    };
    await this.account.repeated((client) => unaryCall(client.refundPayment.bind(client), request, CALL));
  }

  async #refundAtDashboard(): Promise<void> {
    const intent = this.#anyOf(this.account.intents().filter(({ amount_received }) => amount_received > 0));
    if (intent === undefined) return;
    const amount = this.#random.between(1, intent.amount_received);
    await this.#world.callStripe((stripe) => stripe.refunds.create({ payment_intent: intent.id, amount }));
  }

  #endRefund(): void {
    const ids = new Set(this.account.intents().map(({ id }) => id));
    const refunds = this.#world.control.objects().refunds.filter((each) => ids.has(String(each.payment_intent)));
    const refund = this.#anyOf(refunds);
    if (refund === undefined) return;
    if (refund.status === 'pending') this.#world.control.settleRefund(refund.id);
    else this.#world.control.failRefund(refund.id);
  }

  #dispute(): void {
    const ids = new Set(this.account.intents().map(({ id }) => id));
    const charges = this.#world.control.objects().charges.filter((each) => ids.has(String(each.payment_intent)));
    const charge = this.#anyOf(charges.filter(({ paid }) => paid));
    if (charge === undefined) return;
    const amount = this.#random.between(1, charge.amount_captured - charge.amount_refunded);
    this.#world.control.dispute(charge.id, { amount, isWarning: this.#random.below(4) === 0 });
  }

  #closeDispute(): void {
    const ids = new Set(this.account.intents().map(({ id }) => id));
    const disputes = this.#world.control.objects().disputes.filter((each) => ids.has(String(each.payment_intent)));
    const dispute = this.#anyOf(disputes);
    if (dispute === undefined) return;
    const { control } = this.#world;
    if (!dispute.status.startsWith('warning')) control.closeDispute(dispute.id, this.#random.pick(['won', 'lost']));
    else if (this.#random.below(2) === 0) control.escalateDispute(dispute.id);
    else control.closeDispute(dispute.id, 'warning_closed');
  }

  async #look(): Promise<void> {
    const request = { accountId: this.account.id, paymentId: this.#anyPayment().paymentId };
    await this.account.repeated((client) => unaryCall(client.getPayment.bind(client), request, CALL));
  }

  #anyPayment(): Payment {
    const [first, ...others] = this.#payments;
    if (first === undefined) throw new Error('nothing was begun');
    return this.#random.pick([first, ...others]);
  }

  #anyOf<T>(list: readonly T[]): T | undefined {
    return list[this.#random.below(list.length)];
  }

  #sessionOf({ paymentId }: Payment): Stripe.Checkout.Session | undefined {
    return this.#world.control.objects().checkout_sessions.find((each) => each.client_reference_id === paymentId);
  }
}

function isOf(metadata: Stripe.Metadata, { paymentId }: Payment): boolean {
  return metadata['tollgate_payment'] === paymentId;
}

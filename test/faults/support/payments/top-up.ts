import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { AutomaticTopUpState } from '@tollgate/proto/payments';
import type { InstrumentName } from '@tollgate/stripe-simulator/payments/instruments';
import type { Random } from '@tollgate/test-support/random/random';
import { type Account, CALL, CENT } from './account.ts';
import type { World } from './world.ts';

/** Stripe says so of what is charged automatically. */
export const CHARGE = 'Credit';

/** How long a replica may take to see that a balance fell: somewhat more than its interval, because it may be killed. */
const SEEN_MS = 2_500;
const LOOK_MS = 50;

type Action = 'set' | 'fall' | 'react' | 'remove' | 'resume' | 'confirm' | 'off';

const ACTIONS: readonly [Action, ...Action[]] = [
  ...(['fall', 'fall', 'fall', 'fall', 'fall', 'fall', 'react', 'react'] as const),
  ...(['confirm', 'resume', 'set', 'remove', 'off'] as const),
];
const CARDS: readonly [InstrumentName, ...InstrumentName[]] = [
  ...(['card', 'card', 'card', 'card', 'card', 'declined', 'declined_later', 'authenticate'] as const),
];

/** What happens to the automatic top-up of one account, at random. */
export class TopUp {
  readonly #world: World;
  readonly #random: Random;
  readonly #account: Account;
  readonly #monthlyMaxCents: number;
  #isOn = false;

  constructor(world: World, random: Random, account: Account) {
    this.#world = world;
    this.#random = random;
    this.#account = account;
    this.#monthlyMaxCents = random.between(5_000, 30_000);
    world.monthlyMaxCents.set(account.id, this.#monthlyMaxCents);
  }

  async step(): Promise<void> {
    const action = this.#isOn ? this.#random.pick(ACTIONS) : 'set';
    switch (action) {
      case 'set':
        return this.#set();
      case 'fall':
        return this.#fall();
      case 'react':
        return this.#react();
      case 'remove':
        return this.#remove();
      case 'resume':
        return this.#resume();
      case 'confirm':
        return this.#confirm();
      case 'off':
        return this.#off();
      default:
        return action satisfies never;
    }
  }

  async #set(): Promise<void> {
    const methodId = (await this.#anyCard()) ?? this.#savedCard();
    if (methodId === undefined) return;
    const threshold = this.#random.between(0, 4_000);
    const request = {
      accountId: this.#account.id,
      thresholdNanos: BigInt(threshold) * CENT,
      targetNanos: BigInt(threshold + this.#random.between(500, 5_000)) * CENT,
      monthlyMaxNanos: BigInt(this.#monthlyMaxCents) * CENT,
      methodId,
    };
    const made = await this.#account.repeated((client) =>
      unaryCall(client.setAutomaticTopUp.bind(client), request, CALL),
    );
    if (made !== undefined) this.#isOn = true;
  }

  /** The balance falls to the threshold, or somewhere else. */
  async #fall(): Promise<void> {
    const has = await this.#account.balanceCents();
    if (has === 0) return;
    const topUp = await this.#get();
    const threshold = Number((topUp?.rule?.thresholdNanos ?? 0n) / CENT);
    const left = this.#random.pick([threshold, this.#random.between(0, threshold), this.#random.below(has)]);
    if (left >= has) return;
    const before = this.#charges();
    await this.#account.spend(has - left);
    if (topUp?.state !== AutomaticTopUpState.ON || left > threshold || this.#random.below(3) === 0) return;
    const deadline = performance.now() + SEEN_MS;
    while (this.#charges() === before && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** The bank thinks differently of the card from now on. */
  async #react(): Promise<void> {
    const methodId = await this.#anyCard();
    if (methodId === undefined) return;
    const reaction = this.#random.pick([
      'succeed',
      'succeed',
      'succeed',
      'authenticate',
      { decline: 'insufficient_funds' },
      { decline: 'lost_card' },
    ] as const);
    this.#world.control.setReaction(methodId, reaction);
  }

  /** The card is removed here, or at Stripe's dashboard. */
  async #remove(): Promise<void> {
    const methodId = await this.#anyCard();
    if (methodId === undefined) return;
    const request = { accountId: this.#account.id, methodId };
    if (this.#random.below(2) === 0) {
      await this.#world.callStripe((stripe) => stripe.paymentMethods.detach(methodId));
    } else {
      await this.#account.repeated((client) => unaryCall(client.removePaymentMethod.bind(client), request, CALL));
    }
  }

  async #resume(): Promise<void> {
    const request = { accountId: this.#account.id };
    await this.#account.repeated((client) => unaryCall(client.resumeAutomaticTopUp.bind(client), request, CALL));
  }

  /** The cardholder pays what the bank did not let be charged. */
  async #confirm(): Promise<void> {
    const confirm = (await this.#get())?.confirm;
    if (confirm === undefined) return;
    const request = {
      accountId: this.#account.id,
      amountNanos: confirm.amountNanos,
      saveMethod: false,
      confirms: confirm.number,
      idempotencyKey: newId(),
      clientAddress: '',
    };
    const payment = await this.#account.repeated((client) =>
      unaryCall(client.createCheckout.bind(client), request, CALL),
    );
    const { checkout_sessions } = this.#world.control.objects();
    const page = checkout_sessions.find((each) => each.client_reference_id === payment?.paymentId);
    if (page === undefined || this.#random.below(4) === 0) return;
    this.#account.atStripe(() => this.#world.control.pay(page.id));
  }

  async #off(): Promise<void> {
    const request = { accountId: this.#account.id };
    const made = await this.#account.repeated((client) =>
      unaryCall(client.deleteAutomaticTopUp.bind(client), request, CALL),
    );
    if (made !== undefined) this.#isOn = false;
  }

  #get() {
    const request = { accountId: this.#account.id };
    return this.#account.repeated((client) => unaryCall(client.getAutomaticTopUp.bind(client), request, CALL));
  }

  async #anyCard(): Promise<string | undefined> {
    const request = { accountId: this.#account.id };
    const found = await this.#account.repeated((client) =>
      unaryCall(client.listPaymentMethods.bind(client), request, CALL),
    );
    const cards = found?.data ?? [];
    return cards[this.#random.below(cards.length)]?.methodId;
  }

  #savedCard(): string | undefined {
    const { control } = this.#world;
    const customer = control
      .objects()
      .customers.find(({ metadata }) => metadata['tollgate_account'] === this.#account.id);
    return customer && control.saveCard(customer.id, this.#random.pick(CARDS)).id;
  }

  #charges(): number {
    return this.#account.intents().filter(({ description }) => description === CHARGE).length;
  }
}

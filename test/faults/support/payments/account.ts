import { status } from '@grpc/grpc-js';
import { isGrpcError } from '@tollgate/common/errors';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { DepositKind } from '@tollgate/proto/ledger';
import type { PaymentsServiceClient } from '@tollgate/proto/payments';
import { StripeFailure } from '@tollgate/stripe-simulator/api/failure';
import type { Random } from '@tollgate/test-support/random/random';
import type { Stripe } from 'stripe';
import type { World } from './world.ts';

export const CENT = 10_000_000n;
export const CALL = { deadlineMs: 3_000 };
/** What was spent must be known. */
const MAX_TRIES = { ofPayments: 15, ofSpending: 300 };
const AGAIN_MS = 100;
/** What repeating a call does not change. */
const REFUSALS = [
  status.INVALID_ARGUMENT,
  status.FAILED_PRECONDITION,
  status.ALREADY_EXISTS,
  status.NOT_FOUND,
  status.RESOURCE_EXHAUSTED,
];

/** An account, and what people, programs and Stripe do for it. */
export class Account {
  readonly id = newId();
  spentCents = 0;
  readonly #world: World;
  readonly #random: Random;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  /** Its payments at Stripe. */
  intents(): Stripe.PaymentIntent[] {
    return this.#world.control
      .objects()
      .payment_intents.filter(({ metadata }) => metadata['tollgate_account'] === this.id);
  }

  /** What Stripe refuses did not happen. */
  atStripe(happen: () => void): void {
    try {
      happen();
    } catch (error) {
      if (!(error instanceof StripeFailure)) throw error;
    }
  }

  /** People and programs repeat a call with the same key, and give up when it goes on too long. */
  repeated<T>(call: (client: PaymentsServiceClient) => Promise<T>): Promise<T | undefined> {
    const { payments } = this.#world;
    const first = this.#random.below(2);
    return untilAnswered((tried) => call(payments[(first + tried) % 2 === 0 ? 0 : 1]), MAX_TRIES.ofPayments).catch(
      () => undefined,
    );
  }

  /** What it can spend. */
  async balanceCents(): Promise<number> {
    const { ledger } = this.#world;
    const request = { accountId: this.id };
    const balance = await untilAnswered(
      () => unaryCall(ledger.getBalance.bind(ledger), request, CALL),
      MAX_TRIES.ofSpending,
    );
    return Number((balance?.availableNanos ?? 0n) / CENT);
  }

  /** Requests spend so much, unless it has less. */
  async spend(cents: number): Promise<void> {
    const { ledger } = this.#world;
    const request = {
      accountId: this.id,
      kind: DepositKind.ADJUSTMENT,
      amountNanos: -BigInt(cents) * CENT,
      idempotencyKey: newId(),
      reason: 'spent',
      refuseShortfall: true,
    };
    const made = await untilAnswered(() => unaryCall(ledger.deposit.bind(ledger), request, CALL), MAX_TRIES.ofSpending);
    if (made !== undefined) this.spentCents += cents;
  }
}

/** Repeats a call until it is done or refused. @returns undefined if it is refused @throws the last error */
async function untilAnswered<T>(call: (tried: number) => Promise<T>, maxTries: number): Promise<T | undefined> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await call(tried);
    } catch (error) {
      if (!isGrpcError(error) || tried === maxTries) throw error;
      if (REFUSALS.includes(error.code)) return undefined;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

import { newId } from '@tollgate/common/ids';
import { DepositKind } from '@tollgate/proto/ledger';
import { callUnary } from '../support/unary-call.ts';
import { count, Violation } from '../support/violation.ts';
import type { Clients } from './clients.ts';
import type { World } from './world.ts';

interface Payment {
  account: string;
  amount: bigint;
  key: string;
}

/** Longer than any recall before a debit. */
const LONGEST_MS = 20_000;

/** Payments into accounts, and disputes that take them back. */
export class Payments {
  readonly #world: World;
  readonly #clients: Clients;
  readonly #made: Payment[] = [];

  constructor(world: World, clients: Clients) {
    this.#world = world;
    this.#clients = clients;
  }

  /** Pays in, or takes back if the amount is below 0. */
  async make(index: number, amount: bigint): Promise<void> {
    const account = this.#clients.account(index);
    const payment = { account: account.id, amount, key: newId() };
    this.#clients.paid(account, amount);
    if (await this.#pay(payment)) this.#made.push(payment);
    else this.#clients.paid(account, -amount);
  }

  /** Repeats all payments to a database that may lack the latest: the payment service has its own records. */
  async makeAgain(): Promise<void> {
    for (const payment of this.#made) await this.#pay(payment);
  }

  /** @returns false if it is refused */
  async #pay({ account, amount, key }: Payment): Promise<boolean> {
    const paid = this.#world.atPaymentLedger((paymentLedger) =>
      callUnary(paymentLedger.handlers.deposit, {
        accountId: account,
        kind: amount > 0n ? DepositKind.DEPOSIT : DepositKind.DISPUTE,
        amountNanos: amount,
        idempotencyKey: key,
        reason: 'history',
      }),
    );
    let done: boolean | undefined;
    paid.then(
      () => {
        done = true;
      },
      () => {
        done = false;
      },
    );
    if (!(await this.#world.until(() => done !== undefined, 10, LONGEST_MS))) {
      throw new Violation('a payment gets no response');
    }
    if (done === false) count(this.#world.counts, 'payment refused');
    return done === true;
  }
}

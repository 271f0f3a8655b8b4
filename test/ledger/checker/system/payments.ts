import { newId } from '@tollgate/common/ids';
import { DepositKind } from '@tollgate/proto/ledger';
import { count, Disagreement } from '../support/disagreement.ts';
import { callUnary } from '../support/unary-call.ts';
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

  /** Pays in, or takes back where the amount is below 0. */
  async make(index: number, amount: bigint): Promise<void> {
    const account = this.#clients.account(index);
    const payment = { account: account.id, amount, key: newId() };
    this.#clients.paid(account, amount);
    if (await this.#pay(payment)) this.#made.push(payment);
    else this.#clients.paid(account, -amount);
  }

  /** Says all payments again, to a database that may not know the latest: whoever pays keeps its own books. */
  async makeAgain(): Promise<void> {
    for (const payment of this.#made) await this.#pay(payment);
  }

  /** @returns false where it is refused */
  async #pay({ account, amount, key }: Payment): Promise<boolean> {
    const paid = this.#world.atOffice((office) =>
      callUnary(office.handlers.deposit, {
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
      throw new Disagreement('a payment is not answered');
    }
    if (done === false) count(this.#world.counts, 'payment refused');
    return done === true;
  }
}

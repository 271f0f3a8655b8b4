import { BALANCE } from '@tollgate/common/cap-periods';
import { minBigInt } from '@tollgate/common/money';
import type { CeilingState, Need } from '@tollgate/proto/ledger';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lease } from './lease.ts';

type Message = { kind: 'acquire'; sequence: bigint; need: Need } | { kind: 'return'; total: bigint };

/** A state, with the acquire that it responds to. */
interface Response {
  sequence: bigint;
  state: CeilingState;
}

const UNKNOWN: CeilingState = {
  ceiling: BALANCE,
  grantedTotal: 0n,
  spentTotal: 0n,
  returnedTotal: 0n,
  short: false,
  leftNanos: 0n,
  availableNanos: 0n,
  limitNanos: 0n,
  revision: 0n,
};

/** One lease in the ledger, as the proto specifies it. */
class LedgerModel {
  available: bigint;
  granted = 0n;
  spent = 0n;
  returned = 0n;
  #lastSequence = 0n;

  constructor(available: bigint) {
    this.available = available;
  }

  get remaining(): bigint {
    return this.granted - this.spent - this.returned;
  }

  take(message: Message): Response {
    if (message.kind === 'return') return this.#giveBack(message.total);
    const { sequence } = message;
    const { grantedTotalNeeded } = message.need;
    const shortfall = grantedTotalNeeded - this.granted;
    const refused = shortfall > this.available;
    if (sequence > this.#lastSequence && shortfall > 0n && !refused) {
      this.#lastSequence = sequence;
      this.granted += shortfall;
      this.available -= shortfall;
    }
    return this.#state(sequence, refused);
  }

  settle(nanos: bigint): bigint {
    const paid = minBigInt(nanos, this.remaining);
    this.spent += paid;
    return paid;
  }

  #giveBack(total: bigint): Response {
    const more = minBigInt(total, this.granted - this.spent) - this.returned;
    if (more > 0n) {
      this.returned += more;
      this.available += more;
    }
    return this.#state(0n, false);
  }

  #state(sequence: bigint, short: boolean): Response {
    const state = {
      ...UNKNOWN,
      grantedTotal: this.granted,
      spentTotal: this.spent,
      returnedTotal: this.returned,
      short,
      leftNanos: this.available + this.remaining,
      availableNanos: this.available,
    };
    return { sequence, state };
  }
}

/** Messages in transit, which may be lost, repeated or reordered. */
class Channel<T> {
  readonly #messages: T[] = [];

  send(message: T): void {
    this.#messages.push(message);
  }

  deliver(pick: number, fate: 'once' | 'repeat' | 'lose', take: (message: T) => void): void {
    if (this.#messages.length === 0) return;
    const index = pick % this.#messages.length;
    const [message] = fate === 'repeat' ? this.#messages.slice(index, index + 1) : this.#messages.splice(index, 1);
    if (message !== undefined && fate !== 'lose') take(message);
  }
}

class World {
  readonly lease = new Lease();
  readonly ledger: LedgerModel;
  readonly toLedger = new Channel<Message>();
  readonly toIngress = new Channel<Response>();
  readonly holds: bigint[] = [];
  readonly charges: bigint[] = [];
  #sequence = 0n;

  constructor(balance: bigint) {
    this.ledger = new LedgerModel(balance);
  }

  hold(nanos: bigint): void {
    if (!this.lease.canHold(nanos)) return;
    this.lease.hold(nanos);
    this.holds.push(nanos);
  }

  charge(pick: number, part: number): void {
    if (this.holds.length === 0) return;
    const [held = 0n] = this.holds.splice(pick % this.holds.length, 1);
    const nanos = (held * BigInt(part)) / 100n;
    this.lease.endHold(held, nanos);
    this.charges.push(nanos);
  }

  settle(): void {
    const nanos = this.charges.shift();
    if (nanos === undefined) return;
    expect(this.ledger.settle(nanos)).toBe(nanos);
    this.lease.acknowledge(nanos, false);
  }

  acquire(shortfall: bigint): void {
    this.#sequence += 1n;
    const sequence = this.#sequence;
    this.toLedger.send({ kind: 'acquire', sequence, need: this.lease.beginAcquire(sequence, shortfall) });
  }

  giveBack(): void {
    this.lease.returnFree();
    this.toLedger.send({ kind: 'return', total: this.lease.returnedTotal });
  }

  /** Everything is sent again, with responses in order, as after a reconnect. */
  heal(): void {
    this.toLedger.send({ kind: 'return', total: this.lease.returnedTotal });
    this.receive(this.ledger.take({ kind: 'return', total: this.lease.returnedTotal }));
    this.lease.abandonAcquire();
    this.#sequence += 1n;
    const sequence = this.#sequence;
    const need = this.lease.beginAcquire(sequence, 0n);
    this.receive(this.ledger.take({ kind: 'acquire', sequence, need }));
    expect(this.lease.hasPending).toBe(false);
  }

  receive({ sequence, state }: Response): void {
    this.lease.applyState(sequence, state);
  }

  get promised(): bigint {
    return [...this.holds, ...this.charges].reduce((sum, nanos) => sum + nanos, 0n);
  }
}

const pick = fc.nat({ max: 1_000 });
const fate = fc.constantFrom('once' as const, 'once' as const, 'repeat' as const, 'lose' as const);
const amount = fc.bigInt({ min: 0n, max: 60n });
const step = fc.oneof(
  amount.map((nanos) => (world: World) => world.hold(nanos)),
  amount.map((nanos) => (world: World) => world.hold(nanos)),
  fc.tuple(pick, fc.nat({ max: 100 })).map(
    ([index, part]) =>
      (world: World) =>
        world.charge(index, part),
  ),
  fc.constant((world: World) => world.settle()),
  amount.map((nanos) => (world: World) => world.acquire(nanos)),
  fc.constant((world: World) => world.giveBack()),
  fc.tuple(pick, fate).map(([index, how]) => (world: World) => {
    world.toLedger.deliver(index, how, (message) => world.toIngress.send(world.ledger.take(message)));
  }),
  fc.tuple(pick, fate).map(([index, how]) => (world: World) => {
    world.toIngress.deliver(index, how, (response) => world.receive(response));
  }),
);

describe('the arithmetic of a lease', () => {
  it('never holds more than the ledger has leased, whatever happens to the messages', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 300n }),
        fc.array(step, { maxLength: 120, size: 'max' }),
        (balance, steps) => {
          const world = new World(balance);
          for (const act of steps) {
            act(world);
            expect(world.lease.freeNanos >= 0n).toBe(true);
            expect(world.promised + world.lease.freeNanos <= world.ledger.remaining).toBe(true);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('matches the ledger once messages arrive again', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 300n }),
        fc.array(step, { maxLength: 120, size: 'max' }),
        (balance, steps) => {
          const world = new World(balance);
          for (const act of steps) act(world);
          world.heal();
          expect(world.promised + world.lease.freeNanos).toBe(world.ledger.remaining);
          const unsettled = world.charges.reduce((sum, nanos) => sum + nanos, 0n);
          expect(world.lease.leftNanos).toBe(world.ledger.available + world.ledger.remaining - unsettled);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('continues from the ledger’s counters after an account was dropped', () => {
    const lease = new Lease();
    const state = { ...UNKNOWN, leftNanos: 500n, availableNanos: 400n };
    lease.beginAcquire(9n, 50n);
    lease.applyState(0n, { ...state, grantedTotal: 300n, spentTotal: 100n, returnedTotal: 100n });
    expect(lease.freeNanos).toBe(0n);
    lease.applyState(9n, { ...state, grantedTotal: 300n, spentTotal: 120n, returnedTotal: 180n });
    expect(lease.freeNanos).toBe(0n);
    expect(lease.beginAcquire(10n, 50n).grantedTotalNeeded).toBe(350n);
  });

  it('reports a ledger that lost a grant', () => {
    const lease = new Lease();
    lease.beginAcquire(1n, 50n);
    lease.applyState(1n, { ...UNKNOWN, grantedTotal: 50n });
    expect(lease.reconcile({ ...UNKNOWN, grantedTotal: 80n })).toBe(true);
    expect(lease.freeNanos).toBe(80n);
    expect(lease.reconcile({ ...UNKNOWN, grantedTotal: 50n })).toBe(false);
  });
});

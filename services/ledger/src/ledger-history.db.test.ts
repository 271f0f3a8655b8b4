import { newId } from '@tollgate/common/ids';
import { type Charge, SettleOutcome } from '@tollgate/proto/ledger';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { acquireCredit } from './leases/acquire-credit.ts';
import { closeSession } from './leases/end-session.ts';
import { returnCredit } from './leases/return-credit.ts';
import { makeDeposit } from './make-deposit.ts';
import { buildCharge } from './testing/build-charge.ts';
import { brokenInvariants } from './testing/check-invariants.ts';
import { openedSession, settle } from './testing/ledger-calls.ts';
import { createLedger, type LedgerFixture } from './testing/ledger-fixture.ts';
import { AccountModel } from './testing/model.ts';

const ACCOUNTS = 2;
const SESSIONS = 3;
const RUNS = 60;

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());

const account = fc.nat({ max: ACCOUNTS - 1 });
const session = fc.nat({ max: SESSIONS - 1 });
const amount = fc.bigInt({ min: 0n, max: 300n });

/** A charge to settle: a new one, or the one settled so many charges before, as it was or with another cost. */
const settlement = fc.record({
  account,
  session,
  cost: amount,
  hold: amount,
  again: fc.option(fc.nat({ max: 5 }), { freq: 2, nil: undefined }),
  changed: fc.boolean(),
  malformed: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

const step = fc.oneof(
  fc.record({ kind: fc.constant('deposit' as const), account, amount: fc.bigInt({ min: -400n, max: 400n }) }),
  fc.record({ kind: fc.constant('acquire' as const), account, session, more: fc.bigInt({ min: -50n, max: 700n }) }),
  fc.record({ kind: fc.constant('repeat' as const), back: fc.nat({ max: 4 }) }),
  fc.record({ kind: fc.constant('return' as const), account, session, total: fc.bigInt({ min: 0n, max: 800n }) }),
  fc.record({ kind: fc.constant('settle' as const), batch: fc.array(settlement, { minLength: 1, maxLength: 8 }) }),
  fc.record({ kind: fc.constant('close' as const), session }),
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** One history: the real ledger and the model side by side, with accounts and sessions of its own. */
class History {
  readonly #accounts: { id: string; model: AccountModel }[] = [];
  readonly #sessions: string[] = [];
  readonly #acquires: { account: number; session: number; needed: bigint; sequence: bigint }[] = [];
  readonly #settled: { account: number; charge: Charge }[] = [];
  #sequence = 0n;

  async begin(): Promise<void> {
    for (let index = 0; index < SESSIONS; index++) this.#sessions.push(await openedSession(ledger.pool));
    for (let index = 0; index < ACCOUNTS; index++) {
      this.#accounts.push({ id: newId(), model: new AccountModel() });
      await this.#deposit(index, 1_000n);
    }
  }

  async take(next: Step): Promise<void> {
    switch (next.kind) {
      case 'deposit':
        if (next.amount !== 0n) await this.#deposit(next.account, next.amount);
        break;
      case 'acquire': {
        const granted = this.#account(next.account).model.lease(this.#session(next.session)).granted;
        this.#sequence++;
        const asked = { ...next, needed: granted + next.more, sequence: this.#sequence };
        this.#acquires.push(asked);
        await this.#acquire(asked);
        break;
      }
      case 'repeat': {
        const earlier = this.#acquires.at(-1 - next.back);
        if (earlier !== undefined) await this.#acquire(earlier);
        break;
      }
      case 'return':
        await this.#return(next.account, next.session, next.total);
        break;
      case 'settle':
        await this.#settle(next.batch);
        break;
      case 'close': {
        const sessionId = this.#session(next.session);
        await closeSession(ledger.pool, sessionId);
        for (const { model } of this.#accounts) model.end(sessionId);
        break;
      }
      default:
        next satisfies never;
    }
  }

  /** Compares the ledger's balances with the model's. */
  async check(): Promise<void> {
    for (const { id, model } of this.#accounts) {
      const { rows } = await ledger.pool.query(
        'SELECT available, leased, revenue, operator_loss FROM ledger.balances WHERE account_id = $1',
        [id],
      );
      expect(rows).toEqual([
        {
          available: model.available,
          leased: model.leased,
          revenue: model.cost,
          operator_loss: model.paid - model.cost,
        },
      ]);
    }
  }

  #account(index: number): { id: string; model: AccountModel } {
    const found = this.#accounts[index];
    if (found === undefined) throw new Error('no such account');
    return found;
  }

  #session(index: number): string {
    const found = this.#sessions[index];
    if (found === undefined) throw new Error('no such session');
    return found;
  }

  async #deposit(index: number, amountNanos: bigint): Promise<void> {
    const { id, model } = this.#account(index);
    const made = makeDeposit(ledger.pool, {
      accountId: id,
      kind: 'adjustment',
      amountNanos,
      idempotencyKey: newId(),
      reason: 'test',
      refuseShortfall: true,
    });
    if (model.available + amountNanos < 0n) {
      await expect(made).rejects.toMatchObject({ code: 'failed_precondition' });
      return;
    }
    await made;
    model.available += amountNanos;
  }

  async #acquire(asked: { account: number; session: number; needed: bigint; sequence: bigint }): Promise<void> {
    const { id, model } = this.#account(asked.account);
    const sessionId = this.#session(asked.session);
    const before = model.lease(sessionId).granted;
    const request = { accountId: id, sequence: asked.sequence, grantedTotalNeeded: asked.needed };
    const state = await acquireCredit(ledger.pool, sessionId, request);
    if (model.ended.has(sessionId)) {
      expect(state).toBe('fenced');
      return;
    }
    if (state === 'fenced') throw new Error('fenced without reason');
    // A request older than the last that was granted is answered without being met.
    const stale = this.#acquires.some(
      (other) => other.account === asked.account && other.session === asked.session && other.sequence > asked.sequence,
    );
    if (stale && state.grantedTotal === before && !state.refused) return;
    expect(model.granted(sessionId, asked.needed, state.grantedTotal, state.refused)).toBe(true);
    expect(state).toMatchObject({ balanceNanos: model.available + model.leased, availableNanos: model.available });
  }

  async #return(index: number, sessionIndex: number, total: bigint): Promise<void> {
    const { id, model } = this.#account(index);
    const sessionId = this.#session(sessionIndex);
    const state = await returnCredit(ledger.pool, sessionId, { accountId: id, returnedTotal: total });
    if (model.ended.has(sessionId)) {
      expect(state).toBe('fenced');
      return;
    }
    model.returned(sessionId, total);
    expect(state).toMatchObject({ returnedTotal: model.lease(sessionId).returned, availableNanos: model.available });
  }

  async #settle(batch: readonly (typeof settlement extends fc.Arbitrary<infer S> ? S : never)[]): Promise<void> {
    const expected: SettleOutcome[] = [];
    const charges = batch.map((item) => {
      const earlier = item.again === undefined ? undefined : this.#settled.at(-1 - item.again);
      const owner = this.#account(earlier?.account ?? item.account);
      if (item.malformed) {
        expected.push(SettleOutcome.QUARANTINED);
        return buildCharge({ accountId: owner.id, sessionId: 'malformed' }, item.cost);
      }
      const charge = this.#chargeOf(item, earlier?.charge, owner.id);
      const { requestId, sessionId, costNanos, holdNanos } = charge;
      expected.push(owner.model.settle(sessionId, requestId, costNanos, holdNanos));
      if (earlier === undefined) this.#settled.push({ account: item.account, charge });
      return charge;
    });
    expect(await settle(ledger.pool, ...charges)).toEqual(expected);
  }

  #chargeOf(
    item: { session: number; cost: bigint; hold: bigint; changed: boolean },
    earlier: Charge | undefined,
    accountId: string,
  ): Charge {
    if (earlier === undefined) {
      return buildCharge({ accountId, sessionId: this.#session(item.session), holdNanos: item.hold }, item.cost);
    }
    if (!item.changed) return earlier;
    const { requestId, sessionId } = earlier;
    return buildCharge({ accountId, sessionId, requestId }, earlier.costNanos + 1n);
  }
}

it('keeps every promise through random histories of deposits, leases, returns, charges and closed sessions', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), async (steps) => {
      const history = new History();
      await history.begin();
      for (const next of steps) await history.take(next);
      await history.check();
    }),
    { numRuns: RUNS },
  );
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

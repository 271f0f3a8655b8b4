import { BALANCE, periodStart } from '@tollgate/common/cap-periods';
import { newId } from '@tollgate/common/ids';
import { CapPeriod, type Ceiling, type Need } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { brokenInvariants } from '../../../testing/check-invariants.ts';
import { balanceNeed, heartbeat, type LeaseCall } from '../../../testing/lease-call.ts';
import { fundedAccount } from '../../../testing/ledger-calls.ts';
import { ReplicatedLedger } from '../../../testing/serve-ledger.ts';

let ledger: ReplicatedLedger;
beforeAll(async () => {
  // Long: every recall gets its responses, also on a slow machine.
  ledger = await ReplicatedLedger.start({ recallWaitMs: 20_000 });
});
afterAll(() => ledger.drop());
afterEach(async () => {
  ledger.endSessions();
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

interface Named {
  accountId: string;
  ceiling: Ceiling | undefined;
}

async function newCap(): Promise<Named> {
  const accountId = await fundedAccount(ledger.pool, 1_000n);
  return { accountId, ceiling: { nodeId: newId(), period: CapPeriod.TOTAL, periodStartMs: 0n } };
}

/** The need of a cap of 100. */
function capNeed(ceiling: Ceiling | undefined, grantedTotalNeeded: bigint): Need {
  return { ceiling, grantedTotalNeeded, limitNanos: 100n, revision: 1n };
}

function ask(call: LeaseCall, cap: Named, grantedTotalNeeded: bigint, sequence = 1n, prefetch = false): void {
  const needs = [capNeed(cap.ceiling, grantedTotalNeeded)];
  call.send({ message: { $case: 'acquire', value: { accountId: cap.accountId, sequence, needs, prefetch } } });
}

function giveBack(call: LeaseCall, { accountId, ceiling }: Named, returnedTotal: bigint): void {
  call.send({ message: { $case: 'return', value: { accountId, ceiling, returnedTotal } } });
}

describe('a cap over the stream of a session', () => {
  it('is leased, returned and reported', async () => {
    const call = await ledger.session(0);
    const cap = await newCap();
    ask(call, cap, 70n, 3n);
    const state = {
      ...cap,
      suspended: false,
      grantedTotal: 70n,
      spentTotal: 0n,
      returnedTotal: 0n,
      limitNanos: 100n,
      leftNanos: 100n,
      revision: 1n,
    };
    expect(await call.lease()).toEqual({ ...state, sequence: 3n, refused: false, short: false, availableNanos: 30n });
    giveBack(call, cap, 20n);
    const returned = { ...state, sequence: 0n, returnedTotal: 20n, refused: false, short: false, availableNanos: 50n };
    expect(await call.lease()).toEqual(returned);
  });

  it('with an invalid name is refused without harm to the stream', async () => {
    const call = await ledger.session(0);
    const { accountId } = await newCap();
    const ceiling = { nodeId: newId(), period: CapPeriod.DAY, periodStartMs: 7n };
    const malformed = { accountId, ceiling };
    ask(call, malformed, 1n);
    expect(await call.lease()).toMatchObject({ ceiling, sequence: 1n, refused: true, short: true, leftNanos: 0n });
    ask(call, { accountId, ceiling: undefined }, 1n, 2n);
    expect(await call.lease()).toMatchObject({ sequence: 2n, refused: true });
    giveBack(call, malformed, 5n);
    expect(await call.lease()).toMatchObject({ refused: false, returnedTotal: 0n });
  });

  it('is recalled from a session of another replica before it is refused', async () => {
    const [holder, asker] = [await ledger.session(0), await ledger.session(1)];
    const cap = await newCap();
    ask(holder, cap, 90n);
    await holder.lease();
    ask(asker, cap, 40n);
    expect(await holder.message()).toEqual({ $case: 'recall', value: { ...cap, suspended: false } });
    giveBack(holder, cap, 60n);
    expect(await holder.lease()).toMatchObject({ returnedTotal: 60n });
    expect(await asker.lease()).toMatchObject({ refused: false, grantedTotal: 40n, availableNanos: 30n });
  });

  it('is refused at once if a recall cannot suffice, or for a prefetch', async () => {
    const [holder, asker] = [await ledger.session(0), await ledger.session(1)];
    const cap = await newCap();
    ask(holder, cap, 90n);
    await holder.lease();
    ask(asker, cap, 101n);
    expect(await asker.lease()).toMatchObject({ refused: true, leftNanos: 100n });
    ask(asker, cap, 20n, 2n, true);
    expect(await asker.lease()).toMatchObject({ sequence: 2n, refused: true });
    // Nothing was recalled: the holder's next message is the response to its return.
    giveBack(holder, cap, 0n);
    expect(await holder.lease()).toMatchObject({ grantedTotal: 90n, returnedTotal: 0n });
  });
});

describe('an acquire of the balance and caps', () => {
  const keyId = newId();
  const day: Ceiling = { nodeId: keyId, period: CapPeriod.TOTAL, periodStartMs: 0n };
  const other: Ceiling = { nodeId: newId(), period: CapPeriod.TOTAL, periodStartMs: 0n };

  function acquire(call: LeaseCall, accountId: string, needs: Need[], sequence = 1n, prefetch = false): void {
    call.send({ message: { $case: 'acquire', value: { accountId, sequence, needs, prefetch } } });
  }

  it('that names a ceiling twice, too many or none is refused with zeros, without harm to the stream', async () => {
    const call = await ledger.session(0);
    const accountId = await fundedAccount(ledger.pool, 100n);
    const many = Array.from({ length: 65 }, () => capNeed({ ...day, nodeId: newId() }, 1n));
    for (const needs of [[capNeed(day, 1n), capNeed(day, 1n)], many, []]) {
      acquire(call, accountId, needs, 3n);
      const state = await call.state();
      expect(state).toMatchObject({ accountId, sequence: 3n, refused: true, suspended: false });
      expect(state.ceilings.map(({ ceiling }) => ceiling)).toEqual(needs.map(({ ceiling }) => ceiling));
      for (const each of state.ceilings) expect(each).toMatchObject({ grantedTotal: 0n, leftNanos: 0n, short: true });
    }
    acquire(call, accountId, [balanceNeed(100n), ...many.slice(2)], 4n);
    expect(await call.state()).toMatchObject({ refused: false });
  });

  it('recalls a cap, and then the balance, before it is refused', async () => {
    const [ofCap, ofBalance, asker] = [await ledger.session(0), await ledger.session(1), await ledger.session(0)];
    const accountId = await fundedAccount(ledger.pool, 100n);
    acquire(ofCap, accountId, [capNeed(day, 90n)]);
    await ofCap.state();
    acquire(ofBalance, accountId, [balanceNeed(90n)]);
    await ofBalance.state();
    acquire(asker, accountId, [capNeed(day, 60n), balanceNeed(50n), capNeed(other, 5n)], 7n);
    expect(await ofCap.recalled()).toEqual({ accountId, ceiling: day, suspended: false });
    await ofCap.giveBack(accountId, 70n, day);
    expect(await ofBalance.recalled()).toEqual({ accountId, ceiling: BALANCE, suspended: false });
    await ofBalance.giveBack(accountId, 50n);
    expect(await asker.state()).toMatchObject({
      sequence: 7n,
      refused: false,
      ceilings: [
        { grantedTotal: 60n, short: false, availableNanos: 20n },
        { grantedTotal: 50n, short: false, availableNanos: 10n },
        { grantedTotal: 5n, short: false },
      ],
    });
  });

  it('recalls the cap of a project, which a request of another key has leased', async () => {
    const [holder, asker] = [await ledger.session(0), await ledger.session(1)];
    const accountId = await fundedAccount(ledger.pool, 1_000n);
    const project: Ceiling = {
      nodeId: newId(),
      period: CapPeriod.WEEK,
      periodStartMs: BigInt(periodStart('week', Date.now())),
    };
    acquire(holder, accountId, [balanceNeed(90n), capNeed(project, 90n), capNeed(day, 90n)]);
    await holder.state();
    acquire(asker, accountId, [balanceNeed(60n), capNeed(project, 60n), capNeed(other, 60n)]);
    expect(await holder.recalled()).toEqual({ accountId, ceiling: project, suspended: false });
    await holder.giveBack(accountId, 60n, project);
    expect(await asker.state()).toMatchObject({ refused: false, ceilings: [{}, { grantedTotal: 60n }, {}] });
  });

  it('is refused once the sessions have nothing to return of the first ceiling, without a recall of the next', async () => {
    const [holder, asker] = [await ledger.session(0), await ledger.session(1)];
    const accountId = await fundedAccount(ledger.pool, 100n);
    acquire(holder, accountId, [balanceNeed(90n), capNeed(day, 90n)]);
    await holder.state();
    acquire(asker, accountId, [balanceNeed(50n), capNeed(day, 50n)]);
    expect(await holder.recalled()).toMatchObject({ ceiling: BALANCE });
    await holder.giveBack(accountId, 0n);
    expect(await asker.state()).toMatchObject({ refused: true, ceilings: [{ short: true }, { short: true }] });
    expect(await holder.ask(heartbeat(1n))).toMatchObject({ $case: 'heartbeat' });
  });

  it('recalls nothing for a prefetch, or if one of the ceilings cannot suffice', async () => {
    const [holder, asker] = [await ledger.session(0), await ledger.session(1)];
    const accountId = await fundedAccount(ledger.pool, 100n);
    acquire(holder, accountId, [balanceNeed(90n), capNeed(day, 90n)]);
    await holder.state();
    acquire(asker, accountId, [balanceNeed(50n), capNeed(day, 50n), capNeed(other, 1n)], 1n, true);
    expect(await asker.state()).toMatchObject({ refused: true, ceilings: [{ short: true }, { short: true }, {}] });
    acquire(asker, accountId, [balanceNeed(50n), capNeed(day, 50n), capNeed(other, 101n)], 2n);
    expect(await asker.state()).toMatchObject({ refused: true, ceilings: [{}, {}, { short: true }] });
    expect(await holder.ask(heartbeat(1n))).toMatchObject({ $case: 'heartbeat' });
  });

  it('serves two sessions by one recall of each ceiling', async () => {
    const [holder, ...askers] = [await ledger.session(0), await ledger.session(0), await ledger.session(1)];
    const accountId = await fundedAccount(ledger.pool, 100n);
    acquire(holder, accountId, [balanceNeed(100n), capNeed(day, 100n)]);
    await holder.state();
    for (const asker of askers) acquire(asker, accountId, [balanceNeed(40n), capNeed(day, 30n)]);
    const states = Promise.all(askers.map((asker) => asker.state()));
    const given = new Map([
      [BALANCE.nodeId, 100n],
      [keyId, 80n],
    ]);
    // Another one follows for whoever joined a recall that ended without enough for it.
    const answering = (async () => {
      for (;;) {
        const message = await holder.message();
        if (message?.$case !== 'recall') continue;
        const { ceiling } = message.value;
        const returnedTotal = given.get(ceiling?.nodeId ?? '') ?? 0n;
        holder.send({ message: { $case: 'return', value: { accountId, ceiling, returnedTotal } } });
      }
    })();
    answering.catch(() => undefined);
    for (const state of await states) expect(state).toMatchObject({ refused: false });
  });
});

import { newId } from '@tollgate/common/ids';
import { type CapName, CapPeriod, type CapState } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { brokenInvariants } from '../../../testing/check-invariants.ts';
import type { LeaseCall } from '../../../testing/lease-call.ts';
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

async function newCap(): Promise<CapName> {
  const accountId = await fundedAccount(ledger.pool, 1_000n);
  return { accountId, keyId: newId(), period: CapPeriod.TOTAL, periodStartMs: 0n };
}

function ask(
  call: LeaseCall,
  cap: CapName | undefined,
  grantedTotalNeeded: bigint,
  sequence = 1n,
  prefetch = false,
): void {
  const value = { cap, sequence, grantedTotalNeeded, limitNanos: 100n, keyRevision: 1n, prefetch };
  call.send({ message: { $case: 'acquireCap', value } });
}

function giveBack(call: LeaseCall, cap: CapName | undefined, returnedTotal: bigint): void {
  call.send({ message: { $case: 'returnCap', value: { cap, returnedTotal } } });
}

async function nextState(call: LeaseCall): Promise<CapState> {
  const message = await call.message();
  if (message?.$case !== 'cap') throw new Error(`expected a cap, got ${message?.$case}`);
  return message.value;
}

describe('a cap over the stream of a session', () => {
  it('is leased, returned and reported', async () => {
    const call = await ledger.session(0);
    const cap = await newCap();
    ask(call, cap, 70n, 3n);
    const state = {
      cap,
      grantedTotal: 70n,
      spentTotal: 0n,
      returnedTotal: 0n,
      limitNanos: 100n,
      leftNanos: 100n,
      keyRevision: 1n,
    };
    expect(await nextState(call)).toEqual({ ...state, sequence: 3n, refused: false, availableNanos: 30n });
    giveBack(call, cap, 20n);
    const returned = { ...state, sequence: 0n, returnedTotal: 20n, refused: false, availableNanos: 50n };
    expect(await nextState(call)).toEqual(returned);
  });

  it('with an invalid name is refused without harm to the stream', async () => {
    const call = await ledger.session(0);
    const malformed = { ...(await newCap()), periodStartMs: 7n };
    ask(call, malformed, 1n);
    expect(await nextState(call)).toMatchObject({ sequence: 1n, refused: true, leftNanos: 0n });
    ask(call, undefined, 1n, 2n);
    expect(await nextState(call)).toMatchObject({ sequence: 2n, refused: true });
    giveBack(call, malformed, 5n);
    expect(await nextState(call)).toMatchObject({ refused: false, returnedTotal: 0n });
  });

  it('is recalled from a session of another replica before it is refused', async () => {
    const [holder, asker] = [await ledger.session(0), await ledger.session(1)];
    const cap = await newCap();
    ask(holder, cap, 90n);
    await nextState(holder);
    ask(asker, cap, 40n);
    expect(await holder.message()).toEqual({ $case: 'recallCap', value: { cap } });
    giveBack(holder, cap, 60n);
    expect(await nextState(holder)).toMatchObject({ returnedTotal: 60n });
    expect(await nextState(asker)).toMatchObject({ refused: false, grantedTotal: 40n, availableNanos: 30n });
  });

  it('is refused at once if a recall cannot suffice, or for a prefetch', async () => {
    const [holder, asker] = [await ledger.session(0), await ledger.session(1)];
    const cap = await newCap();
    ask(holder, cap, 90n);
    await nextState(holder);
    ask(asker, cap, 101n);
    expect(await nextState(asker)).toMatchObject({ refused: true, leftNanos: 100n });
    ask(asker, cap, 20n, 2n, true);
    expect(await nextState(asker)).toMatchObject({ sequence: 2n, refused: true });
    // Nothing was recalled: the holder's next message is the response to its return.
    giveBack(holder, cap, 0n);
    expect(await nextState(holder)).toMatchObject({ grantedTotal: 90n, returnedTotal: 0n });
  });
});

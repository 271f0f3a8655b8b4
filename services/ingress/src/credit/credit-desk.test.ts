import { newId } from '@tollgate/common/ids';
import { SettleOutcome } from '@tollgate/proto/ledger';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { heldBy, record, request, until } from './testing/desk-fixture.ts';
import type { FakeLedger } from './testing/fake-ledger.ts';
import { FakeLedgerDesks } from './testing/fake-ledger-desks.ts';
import type { HoldResult } from './types.ts';

let desks: FakeLedgerDesks;
let ledger: FakeLedger;

beforeEach(async () => {
  desks = await FakeLedgerDesks.create();
  ({ ledger } = desks);
});
afterEach(() => desks.close());

describe('a hold', () => {
  it('is made at once, without a promise, once the lease suffices', async () => {
    const accountId = desks.funded(10_000n);
    ledger.extraNanos = 1_000n;
    const desk = await desks.start();
    expect(desk.ready()).toBe(true);
    const first = heldBy(await desk.hold(request(accountId, 100n)));
    const second = desk.hold(request(accountId, 100n));
    expect(second).not.toBeInstanceOf(Promise);
    const hold = heldBy(await second);
    expect(hold.nanos).toBe(100n);
    expect(hold.sessionId).toBe(first.sessionId);
    first.release();
    hold.release();
    expect(desk.stats().openHolds).toBe(0);
  });

  it('renews the lease in the background before it runs out', async () => {
    const accountId = desks.funded(1_000_000n);
    ledger.extraNanos = 1_000n;
    const desk = await desks.start();
    heldBy(await desk.hold(request(accountId, 100n)));
    const waited: boolean[] = [];
    for (let count = 0; count < 100; count += 1) {
      const result = desk.hold(request(accountId, 100n));
      waited.push(result instanceof Promise);
      heldBy(await result);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(waited.filter(Boolean)).toEqual([]);
  });

  it('of exactly the balance is made, of one nano more is insufficient', async () => {
    const accountId = desks.funded(500n);
    const desk = await desks.start();
    expect(await desk.hold(request(accountId, 501n))).toEqual({ kind: 'insufficient', balanceNanos: 500n });
    expect(heldBy(await desk.hold(request(accountId, 500n))).nanos).toBe(500n);
  });

  it('of nothing is made for an account without credit', async () => {
    const desk = await desks.start();
    expect(heldBy(await desk.hold(request(newId(), 0n))).nanos).toBe(0n);
    expect(await desk.hold(request(newId(), 1n))).toEqual({ kind: 'insufficient', balanceNanos: 0n });
  });

  it('shrinks to the whole balance where that binds, down to its least', async () => {
    const accountId = desks.funded(70n);
    const desk = await desks.start();
    const hold = heldBy(await desk.hold(request(accountId, 100n, { minNanos: 50n })));
    expect(hold.nanos).toBe(70n);
    await hold.charge(record(accountId, 30n));
    await until(() => desk.stats().unsettled === 0);
    expect(await desk.hold(request(accountId, 100n, { minNanos: 50n }))).toEqual({
      kind: 'insufficient',
      balanceNanos: 40n,
    });
  });

  it('is not made of credit that an unsettled charge has used, however long ago', async () => {
    const [accountId, idle] = [desks.funded(100n), desks.funded(100n)];
    const desk = await desks.start({ limits: { idleReturnMs: 0 } });
    ledger.settlementsHeld = true;
    await heldBy(await desk.hold(request(accountId, 60n))).charge(record(accountId, 60n));
    heldBy(await desk.hold(request(idle, 60n))).release();
    // The idle account is forgotten in the same round as the other one would be.
    await until(() => desk.stats().leases === 1);
    expect(await desk.hold(request(accountId, 60n))).toEqual({ kind: 'insufficient', balanceNanos: 40n });
  });

  it('waits for credit the account holds itself instead of shrinking', async () => {
    const accountId = desks.funded(150n);
    const desk = await desks.start();
    const first = heldBy(await desk.hold(request(accountId, 100n)));
    const second = desk.hold(request(accountId, 100n, { minNanos: 10n }));
    await until(() => ledger.acquires.some(({ refused }) => refused));
    first.release();
    expect(heldBy(await second).nanos).toBe(100n);
  });

  it('is busy after the wait when credit is merely held', async () => {
    const accountId = desks.funded(100n);
    const desk = await desks.start({ limits: { waitMs: 1_500, retryAfterMs: 700 } });
    heldBy(await desk.hold(request(accountId, 100n)));
    expect(await desk.hold(request(accountId, 100n))).toEqual({ kind: 'busy', retryAfterMs: 700 });
    expect(desk.stats().waiting).toBe(0);
  });

  it('is busy at once where too many wait', async () => {
    const accountId = desks.funded(100n);
    const desk = await desks.start({ limits: { waitersPerAccount: 2, waitMs: 1_000 } });
    heldBy(await desk.hold(request(accountId, 100n)));
    const waiting = [desk.hold(request(accountId, 100n)), desk.hold(request(accountId, 100n))];
    expect(desk.hold(request(accountId, 100n))).toMatchObject({ kind: 'busy' });
    await Promise.all(waiting);
  });

  it('ends as aborted when the client leaves, and those behind it go on', async () => {
    const accountId = desks.funded(100n);
    const desk = await desks.start();
    const first = heldBy(await desk.hold(request(accountId, 60n)));
    const client = new AbortController();
    const blocked = desk.hold(request(accountId, 90n, { signal: client.signal }));
    const behind = desk.hold(request(accountId, 40n));
    client.abort();
    expect(await blocked).toEqual({ kind: 'aborted' });
    expect(heldBy(await behind).nanos).toBe(40n);
    expect(desk.hold(request(accountId, 1n, { signal: client.signal }))).toEqual({ kind: 'aborted' });
    first.release();
  });

  it('leaves its place in the journal to others, however its wait ends', async () => {
    const accountId = desks.funded(100n);
    const desk = await desks.start({ limits: { journalMaxRecords: 3, waitMs: 300 } });
    const all = heldBy(await desk.hold(request(accountId, 100n)));
    for (let count = 0; count < 3; count += 1) {
      const client = new AbortController();
      const leaves = desk.hold(request(accountId, 10n, { signal: client.signal }));
      client.abort();
      expect(await leaves).toEqual({ kind: 'aborted' });
      expect(await desk.hold(request(accountId, 101n))).toMatchObject({ kind: 'insufficient' });
      expect((await desk.hold(request(accountId, 10n))).kind).not.toBe('held');
    }
    all.release();
    for (let count = 0; count < 3; count += 1) heldBy(await desk.hold(request(accountId, 10n)));
    expect(desk.hold(request(accountId, 10n))).toEqual({ kind: 'unavailable', reason: 'journal' });
  });

  it('finds credit that is deposited while it waits', async () => {
    const accountId = desks.funded(100n);
    const desk = await desks.start();
    heldBy(await desk.hold(request(accountId, 100n)));
    const waiting = desk.hold(request(accountId, 100n));
    await until(() => ledger.acquires.some(({ refused }) => refused));
    ledger.deposit(accountId, 100n);
    expect(heldBy(await waiting).nanos).toBe(100n);
  });

  it('cannot be charged twice', async () => {
    const accountId = desks.funded(100n);
    const desk = await desks.start();
    const hold = heldBy(await desk.hold(request(accountId, 100n)));
    await hold.charge(record(accountId, 10n));
    expect(() => hold.charge(record(accountId, 10n))).toThrow('charged once');
    hold.release();
    expect(desk.stats().openHolds).toBe(0);
  });
});

describe('many requests on a small balance', () => {
  it('that use their whole hold: exactly as many as it covers, then insufficient', async () => {
    const accountId = desks.funded(1_000n);
    const desk = await desks.start({ limits: { waitMs: 1_500 } });
    const results = await Promise.all(Array.from({ length: 200 }, () => desk.hold(request(accountId, 100n))));
    expect(countKinds(results)).toEqual({ held: 10, busy: 190 });
    ledger.settlementsHeld = true;
    for (const result of results) if (result.kind === 'held') await result.hold.charge(record(accountId, 100n));
    expect(await desk.hold(request(accountId, 100n))).toEqual({ kind: 'insufficient', balanceNanos: 0n });
    ledger.releaseSettlements();
    await until(() => desk.stats().unsettled === 0);
    expect(await desk.hold(request(accountId, 100n))).toEqual({ kind: 'insufficient', balanceNanos: 0n });
    expect(ledger.balance(accountId)).toBe(0n);
    expect(desk.stats()).toMatchObject({ posted: 10, loss: 0 });
  });

  it('that use little of their hold, with clients that retry: until less than one hold is left', async () => {
    const accountId = desks.funded(1_000n);
    const desk = await desks.start({ limits: { waitersPerAccount: 20 } });
    let served = 0;
    const client = async () => {
      for (;;) {
        const result = await desk.hold(request(accountId, 100n));
        if (result.kind === 'insufficient') return;
        if (result.kind === 'busy') {
          await new Promise((resolve) => setTimeout(resolve, 5));
          continue;
        }
        const hold = heldBy(result);
        await new Promise((resolve) => setTimeout(resolve, 1));
        await hold.charge(record(accountId, 10n));
        served += 1;
      }
    };
    await Promise.all(Array.from({ length: 100 }, client));
    expect(served).toBe(91);
    await until(() => desk.stats().unsettled === 0);
    expect(ledger.balance(accountId)).toBe(90n);
  });
});

function countKinds(results: HoldResult[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of results) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

describe('a lease', () => {
  it('is returned when idle, and the account forgotten and found again', async () => {
    const accountId = desks.funded(1_000n);
    ledger.extraNanos = 300n;
    const desk = await desks.start({ limits: { idleReturnMs: 50 } });
    const hold = heldBy(await desk.hold(request(accountId, 100n)));
    await hold.charge(record(accountId, 40n));
    await until(() => ledger.available.get(accountId) === 960n && desk.stats().leases === 0);
    expect(heldBy(await desk.hold(request(accountId, 960n))).nanos).toBe(960n);
  });

  it('is returned at once when recalled, less what is held', async () => {
    const accountId = desks.funded(1_000n);
    ledger.extraNanos = 300n;
    const desk = await desks.start();
    const hold = heldBy(await desk.hold(request(accountId, 100n)));
    expect(ledger.available.get(accountId)).toBe(600n);
    ledger.recall(accountId);
    await until(() => ledger.available.get(accountId) === 900n);
    await hold.charge(record(accountId, 100n));
    await until(() => desk.stats().unsettled === 0);
    expect(desk.stats()).toMatchObject({ posted: 1, loss: 0 });
  });

  it('is returned when recalled though it was never heard that it was granted', async () => {
    const accountId = desks.funded(1_000n);
    const desk = await desks.start({ limits: { idleReturnMs: 50 } });
    ledger.grantUnheard(accountId, 400n);
    expect(ledger.available.get(accountId)).toBe(600n);
    ledger.recall(accountId);
    await until(() => ledger.available.get(accountId) === 1_000n);
    await until(() => desk.stats().leases === 0);
    await heldBy(await desk.hold(request(accountId, 1_000n))).charge(record(accountId, 1_000n));
    await until(() => desk.stats().unsettled === 0);
    expect(desk.stats()).toMatchObject({ posted: 1, loss: 0 });
  });

  it('is not renewed ahead of need for a while after a recall', async () => {
    ledger.extraNanos = 300n;
    const accountId = desks.funded(100_000n);
    const desk = await desks.start();
    const asked = () => ledger.acquires.filter((acquire) => acquire.accountId === accountId).length;
    const holdTwice = async () => {
      heldBy(await desk.hold(request(accountId, 100n)));
      expect(desk.hold(request(accountId, 100n))).toMatchObject({ kind: 'held' });
      // Answered after whatever was asked before it.
      heldBy(await desk.hold(request(desks.funded(1_000n), 10n)));
    };
    await holdTwice();
    expect(asked()).toBe(2);
    ledger.recall(accountId);
    await until(() => ledger.available.get(accountId) === 99_800n);
    await holdTwice();
    expect(asked()).toBe(3);
  });

  it('regains what a quarantined charge did not take', async () => {
    const accountId = desks.funded(100n);
    const desk = await desks.start();
    ledger.judge = () => SettleOutcome.QUARANTINED;
    await heldBy(await desk.hold(request(accountId, 100n))).charge(record(accountId, 80n));
    await until(() => desk.stats().quarantined === 1);
    expect(heldBy(await desk.hold(request(accountId, 100n))).nanos).toBe(100n);
  });

  it('never pays more than its hold', async () => {
    const accountId = desks.funded(100n);
    const desk = await desks.start();
    await heldBy(await desk.hold(request(accountId, 30n))).charge(record(accountId, 1_000n));
    await until(() => desk.stats().posted === 1);
    expect(ledger.balance(accountId)).toBe(70n);
    expect(heldBy(await desk.hold(request(accountId, 70n))).nanos).toBe(70n);
  });

  it('tells what is held with its heartbeats', async () => {
    const accountId = desks.funded(1_000n);
    const desk = await desks.start();
    const hold = heldBy(await desk.hold(request(accountId, 100n)));
    const heldNow = () => ledger.sessions.get(hold.sessionId)?.held.get(accountId);
    await until(() => heldNow() === 100n);
    hold.release();
    await until(() => heldNow() === 0n);
    expect(desk.ready()).toBe(true);
  });
});

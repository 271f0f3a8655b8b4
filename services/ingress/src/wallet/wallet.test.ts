import { newId } from '@tollgate/common/ids';
import { SettleOutcome } from '@tollgate/proto/ledger';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { heldBy, record, request, until } from '../../testing/credit/credit-fixture.ts';
import type { FakeLedger } from '../../testing/credit/fake-ledger.ts';
import { FakeLedgerManagers } from '../../testing/credit/fake-ledger-wallets.ts';
import type { HoldResult } from './credit/types.ts';

let wallets: FakeLedgerManagers;
let ledger: FakeLedger;

beforeEach(async () => {
  wallets = await FakeLedgerManagers.create();
  ({ ledger } = wallets);
});
afterEach(() => wallets.close());

describe('a hold', () => {
  it('is made synchronously, without a promise, once the lease suffices', async () => {
    const accountId = wallets.funded(10_000n);
    ledger.extraNanos = 1_000n;
    const wallet = await wallets.start();
    expect(wallet.ready()).toBe(true);
    const first = heldBy(await wallet.hold(request(accountId, 100n)));
    const second = wallet.hold(request(accountId, 100n));
    expect(second).not.toBeInstanceOf(Promise);
    const hold = heldBy(await second);
    expect(hold.nanos).toBe(100n);
    expect(hold.sessionId).toBe(first.sessionId);
    first.release();
    hold.release();
    expect(wallet.stats().openHolds).toBe(0);
  });

  it('prefetches credit in the background before the lease runs out', async () => {
    const accountId = wallets.funded(1_000_000n);
    ledger.extraNanos = 1_000n;
    const wallet = await wallets.start();
    heldBy(await wallet.hold(request(accountId, 100n)));
    const waited: boolean[] = [];
    for (let count = 0; count < 100; count += 1) {
      const result = wallet.hold(request(accountId, 100n));
      waited.push(result instanceof Promise);
      heldBy(await result);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(waited.filter(Boolean)).toEqual([]);
  });

  it('of exactly the balance is made; one nano more is insufficient', async () => {
    const accountId = wallets.funded(500n);
    const wallet = await wallets.start();
    expect(await wallet.hold(request(accountId, 501n))).toMatchObject({
      kind: 'insufficient',
      limit: { window: null, leftNanos: 500n },
    });
    expect(heldBy(await wallet.hold(request(accountId, 500n))).nanos).toBe(500n);
  });

  it('of zero is made for an account without credit', async () => {
    const wallet = await wallets.start();
    expect(heldBy(await wallet.hold(request(newId(), 0n))).nanos).toBe(0n);
    expect(await wallet.hold(request(newId(), 1n))).toMatchObject({
      kind: 'insufficient',
      limit: { window: null, leftNanos: 0n },
    });
  });

  it('shrinks to the total balance, down to its minimum', async () => {
    const accountId = wallets.funded(70n);
    const wallet = await wallets.start();
    const hold = heldBy(await wallet.hold(request(accountId, 100n, { minNanos: 50n })));
    expect(hold.nanos).toBe(70n);
    await hold.capture(record(accountId, 30n));
    await until(() => wallet.stats().unsettled === 0);
    expect(await wallet.hold(request(accountId, 100n, { minNanos: 50n }))).toMatchObject({
      kind: 'insufficient',
      limit: { window: null, leftNanos: 40n },
    });
  });

  it('never uses credit that an unsettled charge has used, however long ago', async () => {
    const [accountId, idle] = [wallets.funded(100n), wallets.funded(100n)];
    const wallet = await wallets.start({ limits: { idleReturnMs: 0 } });
    ledger.settlementsHeld = true;
    await heldBy(await wallet.hold(request(accountId, 60n))).capture(record(accountId, 60n));
    heldBy(await wallet.hold(request(idle, 60n))).release();
    // The idle account is dropped in the same sweep as the other one would be.
    await until(() => wallet.stats().leases === 1);
    expect(await wallet.hold(request(accountId, 60n))).toMatchObject({
      kind: 'insufficient',
      limit: { window: null, leftNanos: 40n },
    });
  });

  it('waits for credit held by the same account instead of shrinking', async () => {
    const accountId = wallets.funded(150n);
    const wallet = await wallets.start();
    const first = heldBy(await wallet.hold(request(accountId, 100n)));
    const second = wallet.hold(request(accountId, 100n, { minNanos: 10n }));
    await until(() => ledger.acquires.some(({ refused }) => refused));
    first.release();
    expect(heldBy(await second).nanos).toBe(100n);
  });

  it('is busy after the wait when credit is only held', async () => {
    const accountId = wallets.funded(100n);
    const wallet = await wallets.start({ limits: { waitMs: 1_500, retryAfterMs: 700 } });
    heldBy(await wallet.hold(request(accountId, 100n)));
    expect(await wallet.hold(request(accountId, 100n))).toEqual({
      kind: 'busy',
      retryAfterMs: 700,
      limit: { window: null, leftNanos: 100n, heldNanos: 100n },
    });
    expect(wallet.stats().waiting).toBe(0);
  });

  it('is busy at once when too many requests wait', async () => {
    const accountId = wallets.funded(100n);
    const wallet = await wallets.start({ limits: { waitersPerAccount: 2, waitMs: 1_000 } });
    heldBy(await wallet.hold(request(accountId, 100n)));
    const waiting = [wallet.hold(request(accountId, 100n)), wallet.hold(request(accountId, 100n))];
    expect(wallet.hold(request(accountId, 100n))).toMatchObject({ kind: 'busy' });
    await Promise.all(waiting);
  });

  it('ends as aborted when the client disconnects, and requests behind it continue', async () => {
    const accountId = wallets.funded(100n);
    const wallet = await wallets.start();
    const first = heldBy(await wallet.hold(request(accountId, 60n)));
    const client = new AbortController();
    const blocked = wallet.hold(request(accountId, 90n, { signal: client.signal }));
    const behind = wallet.hold(request(accountId, 40n));
    client.abort();
    expect(await blocked).toEqual({ kind: 'aborted' });
    expect(heldBy(await behind).nanos).toBe(40n);
    expect(wallet.hold(request(accountId, 1n, { signal: client.signal }))).toEqual({ kind: 'aborted' });
    first.release();
  });

  it('releases its reservation in the journal, however its wait ends', async () => {
    const accountId = wallets.funded(100n);
    const wallet = await wallets.start({ limits: { journalMaxRecords: 3, waitMs: 300 } });
    const all = heldBy(await wallet.hold(request(accountId, 100n)));
    for (let count = 0; count < 3; count += 1) {
      const client = new AbortController();
      const leaves = wallet.hold(request(accountId, 10n, { signal: client.signal }));
      client.abort();
      expect(await leaves).toEqual({ kind: 'aborted' });
      expect(await wallet.hold(request(accountId, 101n))).toMatchObject({ kind: 'insufficient' });
      expect((await wallet.hold(request(accountId, 10n))).kind).not.toBe('held');
    }
    all.release();
    for (let count = 0; count < 3; count += 1) heldBy(await wallet.hold(request(accountId, 10n)));
    expect(wallet.hold(request(accountId, 10n))).toEqual({ kind: 'unavailable', reason: 'journal' });
  });

  it('uses credit that is deposited while it waits', async () => {
    const accountId = wallets.funded(100n);
    const wallet = await wallets.start();
    heldBy(await wallet.hold(request(accountId, 100n)));
    const waiting = wallet.hold(request(accountId, 100n));
    await until(() => ledger.acquires.some(({ refused }) => refused));
    ledger.deposit(accountId, 100n);
    expect(heldBy(await waiting).nanos).toBe(100n);
  });

  it('cannot be captured twice', async () => {
    const accountId = wallets.funded(100n);
    const wallet = await wallets.start();
    const hold = heldBy(await wallet.hold(request(accountId, 100n)));
    await hold.capture(record(accountId, 10n));
    expect(() => hold.capture(record(accountId, 10n))).toThrow('captured once');
    hold.release();
    expect(wallet.stats().openHolds).toBe(0);
  });
});

describe('many requests on a small balance', () => {
  it('get exactly as many holds as it pays for when each uses its full hold, then insufficient', async () => {
    const accountId = wallets.funded(1_000n);
    const wallet = await wallets.start({ limits: { waitMs: 1_500 } });
    const results = await Promise.all(Array.from({ length: 200 }, () => wallet.hold(request(accountId, 100n))));
    expect(countKinds(results)).toEqual({ held: 10, busy: 190 });
    ledger.settlementsHeld = true;
    for (const result of results) if (result.kind === 'held') await result.hold.capture(record(accountId, 100n));
    expect(await wallet.hold(request(accountId, 100n))).toMatchObject({
      kind: 'insufficient',
      limit: { window: null, leftNanos: 0n },
    });
    ledger.releaseSettlements();
    await until(() => wallet.stats().unsettled === 0);
    expect(await wallet.hold(request(accountId, 100n))).toMatchObject({
      kind: 'insufficient',
      limit: { window: null, leftNanos: 0n },
    });
    expect(ledger.balance(accountId)).toBe(0n);
    expect(wallet.stats()).toMatchObject({ posted: 10, loss: 0 });
  });

  it('spend it down to less than one hold when each uses little of its hold and retries', async () => {
    const accountId = wallets.funded(1_000n);
    const wallet = await wallets.start({ limits: { waitersPerAccount: 20 } });
    let served = 0;
    const client = async () => {
      for (;;) {
        const result = await wallet.hold(request(accountId, 100n));
        if (result.kind === 'insufficient') return;
        if (result.kind === 'busy') {
          await new Promise((resolve) => setTimeout(resolve, 5));
          continue;
        }
        const hold = heldBy(result);
        await new Promise((resolve) => setTimeout(resolve, 1));
        await hold.capture(record(accountId, 10n));
        served += 1;
      }
    };
    await Promise.all(Array.from({ length: 100 }, client));
    expect(served).toBe(91);
    await until(() => wallet.stats().unsettled === 0);
    expect(ledger.balance(accountId)).toBe(90n);
  });
});

function countKinds(results: HoldResult[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of results) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

describe('a lease', () => {
  it('is returned when idle, and the account is dropped and added again', async () => {
    const accountId = wallets.funded(1_000n);
    ledger.extraNanos = 300n;
    const wallet = await wallets.start({ limits: { idleReturnMs: 50 } });
    const hold = heldBy(await wallet.hold(request(accountId, 100n)));
    await hold.capture(record(accountId, 40n));
    await until(() => ledger.available.get(accountId) === 960n && wallet.stats().leases === 0);
    expect(heldBy(await wallet.hold(request(accountId, 960n))).nanos).toBe(960n);
  });

  it('is returned at once when recalled, less the held credit', async () => {
    const accountId = wallets.funded(1_000n);
    ledger.extraNanos = 300n;
    const wallet = await wallets.start();
    const hold = heldBy(await wallet.hold(request(accountId, 100n)));
    expect(ledger.available.get(accountId)).toBe(600n);
    ledger.recall(accountId);
    await until(() => ledger.available.get(accountId) === 900n);
    await hold.capture(record(accountId, 100n));
    await until(() => wallet.stats().unsettled === 0);
    expect(wallet.stats()).toMatchObject({ posted: 1, loss: 0 });
  });

  it('is returned when recalled even if the response with its grant was lost', async () => {
    const accountId = wallets.funded(1_000n);
    const wallet = await wallets.start({ limits: { idleReturnMs: 50 } });
    ledger.grantUnanswered(accountId, 400n);
    expect(ledger.available.get(accountId)).toBe(600n);
    ledger.recall(accountId);
    await until(() => ledger.available.get(accountId) === 1_000n);
    await until(() => wallet.stats().leases === 0);
    await heldBy(await wallet.hold(request(accountId, 1_000n))).capture(record(accountId, 1_000n));
    await until(() => wallet.stats().unsettled === 0);
    expect(wallet.stats()).toMatchObject({ posted: 1, loss: 0 });
  });

  it('is not prefetched for a while after a recall', async () => {
    ledger.extraNanos = 300n;
    const accountId = wallets.funded(100_000n);
    const wallet = await wallets.start();
    const acquires = () => ledger.acquires.filter((acquire) => acquire.accountId === accountId).length;
    const holdTwice = async () => {
      heldBy(await wallet.hold(request(accountId, 100n)));
      expect(wallet.hold(request(accountId, 100n))).toMatchObject({ kind: 'held' });
      // Answered after everything that was sent before it.
      heldBy(await wallet.hold(request(wallets.funded(1_000n), 10n)));
    };
    await holdTwice();
    expect(acquires()).toBe(2);
    ledger.recall(accountId);
    await until(() => ledger.available.get(accountId) === 99_800n);
    await holdTwice();
    expect(acquires()).toBe(3);
  });

  it('regains credit that a quarantined charge did not take', async () => {
    const accountId = wallets.funded(100n);
    const wallet = await wallets.start();
    ledger.judge = () => SettleOutcome.QUARANTINED;
    await heldBy(await wallet.hold(request(accountId, 100n))).capture(record(accountId, 80n));
    await until(() => wallet.stats().quarantined === 1);
    expect(heldBy(await wallet.hold(request(accountId, 100n))).nanos).toBe(100n);
  });

  it('never pays more than its hold', async () => {
    const accountId = wallets.funded(100n);
    const wallet = await wallets.start();
    await heldBy(await wallet.hold(request(accountId, 30n))).capture(record(accountId, 1_000n));
    await until(() => wallet.stats().posted === 1);
    expect(ledger.balance(accountId)).toBe(70n);
    expect(heldBy(await wallet.hold(request(accountId, 70n))).nanos).toBe(70n);
  });

  it('is reported with the heartbeats as far as it is held', async () => {
    const accountId = wallets.funded(1_000n);
    const wallet = await wallets.start();
    const hold = heldBy(await wallet.hold(request(accountId, 100n)));
    const heldNow = () => ledger.sessions.get(hold.sessionId)?.held.get(accountId);
    await until(() => heldNow() === 100n);
    hold.release();
    await until(() => heldNow() === 0n);
    expect(wallet.ready()).toBe(true);
  });
});

describe('credit of an account', () => {
  it('is looked up in the ledger only while none is leased here', async () => {
    const [accountId, poor] = [wallets.funded(100n), newId()];
    const wallet = await wallets.start();
    const acquires = () => ledger.acquires.length;
    expect(await wallet.hasCredit(accountId)).toBe(true);
    expect(wallet.stats().openHolds).toBe(0);
    heldBy(await wallet.hold(request(accountId, 100n)));
    const before = acquires();
    expect(await wallet.hasCredit(accountId)).toBe(true);
    expect(acquires()).toBe(before);
    expect(await wallet.hasCredit(poor)).toBe(false);
    ledger.deposit(poor, 1n);
    expect(await wallet.hasCredit(poor)).toBe(true);
  });
});

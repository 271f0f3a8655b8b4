import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@tollgate/common/clock';
import { newId } from '@tollgate/common/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { heldBy, record, request, temporaryFolder, until } from '../../testing/credit/credit-fixture.ts';
import type { FakeLedger } from '../../testing/credit/fake-ledger.ts';
import { FakeLedgerManagers } from '../../testing/credit/fake-ledger-wallets.ts';

let wallets: FakeLedgerManagers;
let ledger: FakeLedger;
let folder: FakeLedgerManagers['folder'];

beforeEach(async () => {
  wallets = await FakeLedgerManagers.create(1_000n);
  ({ ledger, folder } = wallets);
});
afterEach(() => wallets.close());

describe('a ledger that is behind', () => {
  it('learns from heartbeats how many charges wait, and how long the oldest has', async () => {
    const accountId = wallets.funded(1_000n);
    const wallet = await wallets.start();
    const last = () => ledger.heartbeats.at(-1);
    await until(() => last() !== undefined);
    expect(last()).toMatchObject({ unsettledCharges: 0n, oldestUnsettledMs: 0n });
    ledger.settlementsHeld = true;
    await wallets.chargeOne(wallet, accountId);
    await until(() => last()?.unsettledCharges === 1n && Number(last()?.oldestUnsettledMs) > 60);
    await wallets.chargeOne(wallet, accountId);
    await until(() => last()?.unsettledCharges === 2n);
    expect(Number(last()?.oldestUnsettledMs)).toBeGreaterThan(60);
    ledger.releaseSettlements();
    await until(() => last()?.unsettledCharges === 0n);
    expect(last()?.oldestUnsettledMs).toBe(0n);
  });
});

describe('an unavailable ledger', () => {
  it('leaves the wallet unready at start until it is available', async () => {
    ledger.stop();
    const wallet = await wallets.start();
    expect(wallet.ready()).toBe(false);
    const accountId = wallets.funded(1_000n);
    await ledger.start();
    await until(() => wallet.ready());
    expect(heldBy(await wallet.hold(request(accountId, 100n))).nanos).toBe(100n);
  });

  it('does not interrupt requests while leases and session last; every charge is posted once afterwards', async () => {
    ledger.terms.sessionTtlMs = 3_000n;
    const accountId = wallets.funded(10_000n);
    const wallet = await wallets.start();
    const posted = [await wallets.chargeOne(wallet, accountId)];
    ledger.stop();
    const stoppedAt = performance.now();
    let lastHeldAt: number | undefined;
    for (;;) {
      const askedAt = performance.now();
      const result = await wallet.hold(request(accountId, 100n));
      if (result.kind !== 'held') {
        expect(result).toEqual({ kind: 'unavailable', reason: 'ledger' });
        break;
      }
      lastHeldAt = askedAt;
      const charge = record(accountId, 1n);
      await result.hold.capture(charge);
      posted.push(charge.requestId);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(lastHeldAt).toBeGreaterThan(stoppedAt);
    expect(lastHeldAt).toBeLessThan(stoppedAt + 3_000);
    expect(wallet.ready()).toBe(false);
    await ledger.start();
    await until(() => wallet.ready() && wallet.stats().unsettled === 0);
    posted.push(await wallets.chargeOne(wallet, accountId));
    await until(() => wallet.stats().unsettled === 0);
    expect([...ledger.charges.keys()]).toEqual(posted);
    expect(ledger.balance(accountId)).toBe(10_000n - 20n - BigInt(posted.length - 2));
    expect(ledger.sessions.size).toBe(1);
  });

  it('ends waits for credit as unavailable, not as busy', async () => {
    const accountId = wallets.funded(1_100n);
    const wallet = await wallets.start({ limits: { waitMs: 1_000 } });
    heldBy(await wallet.hold(request(accountId, 100n)));
    ledger.stop();
    expect(await wallet.hold(request(accountId, 5_000n))).toEqual({ kind: 'unavailable', reason: 'ledger' });
  });

  it('that grants nothing of a sufficient balance ends waits as unavailable, not as busy', async () => {
    const accountId = wallets.funded(1_100n);
    const wallet = await wallets.start({ limits: { waitMs: 1_500, idleReturnMs: 0 } });
    heldBy(await wallet.hold(request(accountId, 100n))).release();
    await until(() => wallet.stats().leases === 0);
    // The next response only shows what the session had been granted; the acquire after it is not answered.
    ledger.answeredAcquires = ledger.acquires.length + 1;
    expect(await wallet.hold(request(accountId, 100n))).toEqual({ kind: 'unavailable', reason: 'ledger' });
  });

  it('that does not acknowledge heartbeats stops new holds, but not open ones', async () => {
    ledger.terms.sessionTtlMs = 3_000n;
    const accountId = wallets.funded(10_000n);
    const wallet = await wallets.start();
    await until(() => wallet.ready());
    const hold = heldBy(await wallet.hold(request(accountId, 100n)));
    ledger.silent = true;
    await until(() => !wallet.ready());
    expect(await wallet.hold(request(accountId, 100n))).toEqual({ kind: 'unavailable', reason: 'session' });
    await hold.capture(record(accountId, 10n));
    await until(() => ledger.charges.size === 1);
    ledger.silent = false;
    await until(() => wallet.ready());
  });

  it('serves waiting requests once it is available again', async () => {
    ledger.terms.sessionTtlMs = 3_000n;
    const accountId = wallets.funded(10_000n);
    const wallet = await wallets.start({ limits: { waitMs: 10_000 } });
    await until(() => wallet.ready());
    heldBy(await wallet.hold(request(accountId, 100n)));
    ledger.stop();
    const waiting = wallet.hold(request(accountId, 5_000n));
    await until(() => !wallet.ready());
    await ledger.start();
    expect(heldBy(await waiting).nanos).toBe(5_000n);
  });

  it('is not assumed to keep the session after the machine was suspended', async () => {
    let pausedMs = 0;
    const clock = { monotonicMs: systemClock.monotonicMs, wallMs: () => systemClock.wallMs() + pausedMs };
    const accountId = wallets.funded(10_000n);
    const wallet = await wallets.start({ clock });
    heldBy(await wallet.hold(request(accountId, 100n)));
    pausedMs = 60_000;
    expect(wallet.hold(request(accountId, 100n))).toEqual({ kind: 'unavailable', reason: 'session' });
    await until(() => wallet.ready());
  });
});

describe('a killed process', () => {
  it('leaves a journal whose charges the next process settles once, and a session that it closes', async () => {
    const accountId = wallets.funded(10_000n);
    const wallet = await wallets.start();
    const settled = await wallets.chargeOne(wallet, accountId);
    await until(() => wallet.stats().unsettled === 0);
    ledger.settlementsHeld = true;
    const unsettled = [await wallets.chargeOne(wallet, accountId), await wallets.chargeOne(wallet, accountId)];
    heldBy(await wallet.hold(request(accountId, 100n)));
    // A kill leaves the folder as it is now; the process does nothing more.
    const left = await temporaryFolder();
    await cp(folder.path, left.path, { recursive: true });
    await rm(join(left.path, 'lock'));
    ledger.stop();
    const { sessionId } = wallet.stats();
    await wallet.drain(0);
    ledger.settlementsHeld = false;
    await ledger.start();
    const next = await wallets.start({}, left.path);
    await until(() => ledger.closedSessions.length === 1);
    expect(ledger.closedSessions).toEqual([sessionId]);
    expect([...ledger.charges.keys()].sort()).toEqual([settled, ...unsettled].sort());
    expect(next.stats()).toMatchObject({ posted: 2, duplicate: 1, loss: 0, journalRecords: 0 });
    expect(ledger.balance(accountId)).toBe(9_970n);
    expect(ledger.available.get(accountId)).toBe(9_970n);
    await next.drain(1_000);
    await left.remove();
  });
});

describe('a journal', () => {
  it('that cannot be written stops new holds; charges of open ones are settled from memory', async () => {
    const accountId = wallets.funded(10_000n);
    const wallet = await wallets.start({ journalMaxBytes: 64 * 1024 });
    const holds = [];
    for (let count = 0; count < 20; count += 1) holds.push(heldBy(await wallet.hold(request(accountId, 10n))));
    await rm(folder.path, { recursive: true });
    await writeFile(folder.path, 'in the way of the next segment');
    await Promise.all(holds.map((hold) => hold.capture(record(accountId, 1n, { keyName: 'x'.repeat(900) }))));
    await until(() => wallet.stats().unsettled === 0);
    expect(ledger.charges.size).toBe(20);
    const more = heldBy(await wallet.hold(request(accountId, 10n)));
    await more.capture(record(accountId, 1n));
    expect(wallet.hold(request(accountId, 10n))).toEqual({ kind: 'unavailable', reason: 'journal' });
    expect(wallet.ready()).toBe(false);
    await until(() => ledger.charges.size === 21);
  });

  it('that is full stops new holds until the ledger has acknowledged charges', async () => {
    const accountId = wallets.funded(10_000n);
    const wallet = await wallets.start({ limits: { journalMaxRecords: 5 } });
    ledger.settlementsHeld = true;
    for (let count = 0; count < 5; count += 1) await wallets.chargeOne(wallet, accountId, 1n);
    expect(wallet.hold(request(accountId, 10n))).toEqual({ kind: 'unavailable', reason: 'journal' });
    ledger.releaseSettlements();
    await until(() => wallet.stats().journalRecords === 0);
    await wallets.chargeOne(wallet, accountId, 1n);
  });

  it('in use by another process keeps the wallet unready until it is free', async () => {
    const other = await wallets.start();
    const wallet = await wallets.start();
    expect(wallet.ready()).toBe(false);
    expect(wallet.hold(request(newId(), 1n))).toEqual({ kind: 'unavailable', reason: 'journal' });
    await other.drain(1_000);
    await until(() => wallet.ready());
  });
});

describe('settlement', () => {
  it('batches charges while another batch is open: at most 500 a batch and four batches at a time', async () => {
    const accountId = wallets.funded(1_000_000n);
    const wallet = await wallets.start();
    ledger.settlementsHeld = true;
    const holds = [];
    for (let count = 0; count < 2_300; count += 1) holds.push(heldBy(await wallet.hold(request(accountId, 10n))));
    await Promise.all(holds.map((hold) => hold.capture(record(accountId, 1n))));
    await until(() => ledger.batches.length === 4);
    expect(Math.max(...ledger.batches)).toBe(500);
    expect(wallet.stats().unsettled).toBe(2_300);
    ledger.releaseSettlements();
    await until(() => wallet.stats().unsettled === 0);
    expect(ledger.charges.size).toBe(2_300);
    expect(ledger.balance(accountId)).toBe(1_000_000n - 2_300n);
  });

  it('continues past a record that the ledger fails on', async () => {
    const accountId = wallets.funded(10_000n);
    const wallet = await wallets.start();
    const holds = [];
    for (let count = 0; count < 30; count += 1) holds.push(heldBy(await wallet.hold(request(accountId, 10n))));
    const charges = holds.map(() => record(accountId, 1n));
    const [bad] = charges.slice(7);
    ledger.poison.add(bad?.requestId ?? '');
    await Promise.all(holds.map((hold, index) => hold.capture(charges[index] ?? record(accountId, 1n))));
    await until(() => wallet.stats().unsettled === 1);
    expect(ledger.charges.size).toBe(29);
    ledger.poison.clear();
    await until(() => wallet.stats().unsettled === 0);
    expect(ledger.charges.size).toBe(30);
  });

  it('can be waited for, up to a limit', async () => {
    const accountId = wallets.funded(10_000n);
    const wallet = await wallets.start();
    const first = heldBy(await wallet.hold(request(accountId, 10n)));
    await first.capture(record(accountId, 1n), { settledWithinMs: 5_000 });
    expect(ledger.charges.size).toBe(1);
    ledger.settlementsHeld = true;
    const second = heldBy(await wallet.hold(request(accountId, 10n)));
    await second.capture(record(accountId, 1n), { settledWithinMs: 20 });
    expect(ledger.charges.size).toBe(1);
  });

  it('rejects a record that cannot be encoded, and ends its hold', async () => {
    const accountId = wallets.funded(1_000n);
    const wallet = await wallets.start();
    const hold = heldBy(await wallet.hold(request(accountId, 10n)));
    await expect(hold.capture(record(accountId, -1n))).rejects.toThrow(RangeError);
    const other = heldBy(await wallet.hold(request(accountId, 10n)));
    await expect(other.capture(record(accountId, 1n, { durationMs: 2 ** 40 }))).rejects.toThrow('int32');
    expect(wallet.stats()).toMatchObject({ openHolds: 0, journalRecords: 0 });
  });
});

describe('a drain', () => {
  it('settles the journal, closes the session and releases the folder', async () => {
    const accountId = wallets.funded(10_000n);
    const wallet = await wallets.start();
    await wallets.chargeOne(wallet, accountId);
    const open = heldBy(await wallet.hold(request(accountId, 100n)));
    const drained = wallet.drain(5_000);
    expect(wallet.hold(request(accountId, 1n))).toEqual({ kind: 'unavailable', reason: 'session' });
    await open.capture(record(accountId, 7n));
    await drained;
    expect(ledger.charges.size).toBe(2);
    expect(ledger.available.get(accountId)).toBe(9_983n);
    expect(ledger.closedSessions).toEqual([open.sessionId]);
    await wallets.start();
  });

  it('leaves unsettled charges to the next start when there is no ledger', async () => {
    const accountId = wallets.funded(10_000n);
    const wallet = await wallets.start();
    const hold = heldBy(await wallet.hold(request(accountId, 100n)));
    ledger.stop();
    await hold.capture(record(accountId, 7n));
    await Promise.all([wallet.drain(100), wallet.drain(100)]);
    expect(ledger.charges.size).toBe(0);
    await ledger.start();
    const next = await wallets.start();
    await until(() => ledger.charges.size === 1 && ledger.closedSessions.includes(hold.sessionId));
    expect(ledger.balance(accountId)).toBe(9_993n);
    expect(next.stats().loss).toBe(0);
  });
});

describe('a clock that differs from the database’s', () => {
  function skewed() {
    const clock = { skewMs: 0, monotonicMs: systemClock.monotonicMs, wallMs: () => Date.now() + clock.skewMs };
    return clock;
  }

  it.each([
    ['ahead of', 900_000],
    ['behind', -900_000],
  ])(
    'at the start leaves the wallet unready, %s the database’s, and reports why until it is right',
    async (direction, skewMs) => {
      const clock = skewed();
      clock.skewMs = skewMs;
      const accountId = wallets.funded(1_000n);
      const wallet = await wallets.start({ clock });
      expect(wallet.ready()).toBe(false);
      expect(wallet.clockProblem()).toBe(`the clock is 900 s ${direction} the database's, more than 60 s`);
      expect(wallet.stats().clockAheadMs / skewMs).toBeCloseTo(1, 2);
      expect(await wallet.hold(request(accountId, 100n))).toEqual({ kind: 'unavailable', reason: 'clock' });
      clock.skewMs = 0;
      await until(() => wallet.ready());
      expect(wallet.clockProblem()).toBeUndefined();
      expect(heldBy(await wallet.hold(request(accountId, 100n))).nanos).toBe(100n);
    },
  );

  it('by less than a minute is accepted', async () => {
    const clock = skewed();
    clock.skewMs = 50_000;
    const wallet = await wallets.start({ clock });
    expect(wallet.ready()).toBe(true);
    expect(wallet.clockProblem()).toBeUndefined();
  });

  it('because it was changed is noticed with the next heartbeat; open holds are charged', async () => {
    const clock = skewed();
    const accountId = wallets.funded(1_000n);
    const wallet = await wallets.start({ clock });
    const hold = heldBy(await wallet.hold(request(accountId, 100n)));
    clock.skewMs = -900_000;
    await until(() => wallet.clockProblem() !== undefined);
    expect(wallet.ready()).toBe(false);
    expect(await wallet.hold(request(accountId, 100n))).toEqual({ kind: 'unavailable', reason: 'clock' });
    await hold.capture(record(accountId, 10n));
    await until(() => ledger.charges.size === 1);
  });

  it('rejects requests also while a session is being opened, since their ids carry the wrong time', async () => {
    const clock = skewed();
    const accountId = wallets.funded(1_000n);
    const wallet = await wallets.start({ clock });
    clock.skewMs = 900_000;
    await until(() => wallet.clockProblem() !== undefined);
    const { sessionId } = wallet.stats();
    ledger.silent = true;
    ledger.fence(sessionId);
    await until(() => wallet.stats().sessionId !== sessionId);
    const refused = wallet.hold(request(accountId, 100n));
    clock.skewMs = 0;
    ledger.silent = false;
    expect(await refused).toEqual({ kind: 'unavailable', reason: 'clock' });
    await until(() => wallet.ready());
  });

  it('because the database’s was changed is noticed too, until that one is corrected', async () => {
    const wallet = await wallets.start();
    ledger.clockAheadMs = 120_000;
    await until(() => !wallet.ready());
    expect(wallet.clockProblem()).toContain('s behind the database');
    ledger.clockAheadMs = 0;
    await until(() => wallet.ready());
  });
});

import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@tollgate/common/clock';
import { newId } from '@tollgate/common/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { heldBy, record, request, temporaryFolder, until } from '../../../testing/credit/credit-fixture.ts';
import type { FakeLedger } from '../../../testing/credit/fake-ledger.ts';
import { FakeLedgerManagers } from '../../../testing/credit/fake-ledger-managers.ts';

let managers: FakeLedgerManagers;
let ledger: FakeLedger;
let folder: FakeLedgerManagers['folder'];

beforeEach(async () => {
  managers = await FakeLedgerManagers.create(1_000n);
  ({ ledger, folder } = managers);
});
afterEach(() => managers.close());

describe('a ledger that is behind', () => {
  it('learns from heartbeats how many charges wait, and how long the oldest has', async () => {
    const accountId = managers.funded(1_000n);
    const manager = await managers.start();
    const last = () => ledger.heartbeats.at(-1);
    await until(() => last() !== undefined);
    expect(last()).toMatchObject({ unsettledCharges: 0n, oldestUnsettledMs: 0n });
    ledger.settlementsHeld = true;
    await managers.chargeOne(manager, accountId);
    await until(() => last()?.unsettledCharges === 1n && Number(last()?.oldestUnsettledMs) > 60);
    await managers.chargeOne(manager, accountId);
    await until(() => last()?.unsettledCharges === 2n);
    expect(Number(last()?.oldestUnsettledMs)).toBeGreaterThan(60);
    ledger.releaseSettlements();
    await until(() => last()?.unsettledCharges === 0n);
    expect(last()?.oldestUnsettledMs).toBe(0n);
  });
});

describe('an unavailable ledger', () => {
  it('leaves the credit manager unready at start until it is available', async () => {
    ledger.stop();
    const manager = await managers.start();
    expect(manager.ready()).toBe(false);
    const accountId = managers.funded(1_000n);
    await ledger.start();
    await until(() => manager.ready());
    expect(heldBy(await manager.hold(request(accountId, 100n))).nanos).toBe(100n);
  });

  it('does not interrupt requests while leases and session last; every charge is posted once afterwards', async () => {
    ledger.terms.sessionTtlMs = 3_000n;
    const accountId = managers.funded(10_000n);
    const manager = await managers.start();
    const posted = [await managers.chargeOne(manager, accountId)];
    ledger.stop();
    const stoppedAt = performance.now();
    let lastHeldAt: number | undefined;
    for (;;) {
      const askedAt = performance.now();
      const result = await manager.hold(request(accountId, 100n));
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
    expect(manager.ready()).toBe(false);
    await ledger.start();
    await until(() => manager.ready() && manager.stats().unsettled === 0);
    posted.push(await managers.chargeOne(manager, accountId));
    await until(() => manager.stats().unsettled === 0);
    expect([...ledger.charges.keys()]).toEqual(posted);
    expect(ledger.balance(accountId)).toBe(10_000n - 20n - BigInt(posted.length - 2));
    expect(ledger.sessions.size).toBe(1);
  });

  it('ends waits for credit as unavailable, not as busy', async () => {
    const accountId = managers.funded(1_100n);
    const manager = await managers.start({ limits: { waitMs: 1_000 } });
    heldBy(await manager.hold(request(accountId, 100n)));
    ledger.stop();
    expect(await manager.hold(request(accountId, 5_000n))).toEqual({ kind: 'unavailable', reason: 'ledger' });
  });

  it('that grants nothing of a sufficient balance ends waits as unavailable, not as busy', async () => {
    const accountId = managers.funded(1_100n);
    const manager = await managers.start({ limits: { waitMs: 1_500, idleReturnMs: 0 } });
    heldBy(await manager.hold(request(accountId, 100n))).release();
    await until(() => manager.stats().leases === 0);
    // The next response only shows what the session had been granted; the acquire after it is not answered.
    ledger.answeredAcquires = ledger.acquires.length + 1;
    expect(await manager.hold(request(accountId, 100n))).toEqual({ kind: 'unavailable', reason: 'ledger' });
  });

  it('that does not acknowledge heartbeats stops new holds, but not open ones', async () => {
    ledger.terms.sessionTtlMs = 3_000n;
    const accountId = managers.funded(10_000n);
    const manager = await managers.start();
    await until(() => manager.ready());
    const hold = heldBy(await manager.hold(request(accountId, 100n)));
    ledger.silent = true;
    await until(() => !manager.ready());
    expect(await manager.hold(request(accountId, 100n))).toEqual({ kind: 'unavailable', reason: 'session' });
    await hold.capture(record(accountId, 10n));
    await until(() => ledger.charges.size === 1);
    ledger.silent = false;
    await until(() => manager.ready());
  });

  it('serves waiting requests once it is available again', async () => {
    ledger.terms.sessionTtlMs = 3_000n;
    const accountId = managers.funded(10_000n);
    const manager = await managers.start({ limits: { waitMs: 10_000 } });
    await until(() => manager.ready());
    heldBy(await manager.hold(request(accountId, 100n)));
    ledger.stop();
    const waiting = manager.hold(request(accountId, 5_000n));
    await until(() => !manager.ready());
    await ledger.start();
    expect(heldBy(await waiting).nanos).toBe(5_000n);
  });

  it('is not assumed to keep the session after the machine was suspended', async () => {
    let pausedMs = 0;
    const clock = { monotonicMs: systemClock.monotonicMs, wallMs: () => systemClock.wallMs() + pausedMs };
    const accountId = managers.funded(10_000n);
    const manager = await managers.start({ clock });
    heldBy(await manager.hold(request(accountId, 100n)));
    pausedMs = 60_000;
    expect(manager.hold(request(accountId, 100n))).toEqual({ kind: 'unavailable', reason: 'session' });
    await until(() => manager.ready());
  });
});

describe('a killed process', () => {
  it('leaves a journal whose charges the next process settles once, and a session that it closes', async () => {
    const accountId = managers.funded(10_000n);
    const manager = await managers.start();
    const settled = await managers.chargeOne(manager, accountId);
    await until(() => manager.stats().unsettled === 0);
    ledger.settlementsHeld = true;
    const unsettled = [await managers.chargeOne(manager, accountId), await managers.chargeOne(manager, accountId)];
    heldBy(await manager.hold(request(accountId, 100n)));
    // A kill leaves the folder as it is now; the process does nothing more.
    const left = await temporaryFolder();
    await cp(folder.path, left.path, { recursive: true });
    await rm(join(left.path, 'lock'));
    ledger.stop();
    const { sessionId } = manager.stats();
    await manager.drain(0);
    ledger.settlementsHeld = false;
    await ledger.start();
    const next = await managers.start({}, left.path);
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
    const accountId = managers.funded(10_000n);
    const manager = await managers.start({ journalMaxBytes: 64 * 1024 });
    const holds = [];
    for (let count = 0; count < 20; count += 1) holds.push(heldBy(await manager.hold(request(accountId, 10n))));
    await rm(folder.path, { recursive: true });
    await writeFile(folder.path, 'in the way of the next segment');
    await Promise.all(holds.map((hold) => hold.capture(record(accountId, 1n, { keyName: 'x'.repeat(900) }))));
    await until(() => manager.stats().unsettled === 0);
    expect(ledger.charges.size).toBe(20);
    const more = heldBy(await manager.hold(request(accountId, 10n)));
    await more.capture(record(accountId, 1n));
    expect(manager.hold(request(accountId, 10n))).toEqual({ kind: 'unavailable', reason: 'journal' });
    expect(manager.ready()).toBe(false);
    await until(() => ledger.charges.size === 21);
  });

  it('that is full stops new holds until the ledger has acknowledged charges', async () => {
    const accountId = managers.funded(10_000n);
    const manager = await managers.start({ limits: { journalMaxRecords: 5 } });
    ledger.settlementsHeld = true;
    for (let count = 0; count < 5; count += 1) await managers.chargeOne(manager, accountId, 1n);
    expect(manager.hold(request(accountId, 10n))).toEqual({ kind: 'unavailable', reason: 'journal' });
    ledger.releaseSettlements();
    await until(() => manager.stats().journalRecords === 0);
    await managers.chargeOne(manager, accountId, 1n);
  });

  it('in use by another process keeps the credit manager unready until it is free', async () => {
    const other = await managers.start();
    const manager = await managers.start();
    expect(manager.ready()).toBe(false);
    expect(manager.hold(request(newId(), 1n))).toEqual({ kind: 'unavailable', reason: 'journal' });
    await other.drain(1_000);
    await until(() => manager.ready());
  });
});

describe('settlement', () => {
  it('batches charges while another batch is open: at most 500 a batch and four batches at a time', async () => {
    const accountId = managers.funded(1_000_000n);
    const manager = await managers.start();
    ledger.settlementsHeld = true;
    const holds = [];
    for (let count = 0; count < 2_300; count += 1) holds.push(heldBy(await manager.hold(request(accountId, 10n))));
    await Promise.all(holds.map((hold) => hold.capture(record(accountId, 1n))));
    await until(() => ledger.batches.length === 4);
    expect(Math.max(...ledger.batches)).toBe(500);
    expect(manager.stats().unsettled).toBe(2_300);
    ledger.releaseSettlements();
    await until(() => manager.stats().unsettled === 0);
    expect(ledger.charges.size).toBe(2_300);
    expect(ledger.balance(accountId)).toBe(1_000_000n - 2_300n);
  });

  it('continues past a record that the ledger fails on', async () => {
    const accountId = managers.funded(10_000n);
    const manager = await managers.start();
    const holds = [];
    for (let count = 0; count < 30; count += 1) holds.push(heldBy(await manager.hold(request(accountId, 10n))));
    const charges = holds.map(() => record(accountId, 1n));
    const [bad] = charges.slice(7);
    ledger.poison.add(bad?.requestId ?? '');
    await Promise.all(holds.map((hold, index) => hold.capture(charges[index] ?? record(accountId, 1n))));
    await until(() => manager.stats().unsettled === 1);
    expect(ledger.charges.size).toBe(29);
    ledger.poison.clear();
    await until(() => manager.stats().unsettled === 0);
    expect(ledger.charges.size).toBe(30);
  });

  it('can be waited for, up to a limit', async () => {
    const accountId = managers.funded(10_000n);
    const manager = await managers.start();
    const first = heldBy(await manager.hold(request(accountId, 10n)));
    await first.capture(record(accountId, 1n), { settledWithinMs: 5_000 });
    expect(ledger.charges.size).toBe(1);
    ledger.settlementsHeld = true;
    const second = heldBy(await manager.hold(request(accountId, 10n)));
    await second.capture(record(accountId, 1n), { settledWithinMs: 20 });
    expect(ledger.charges.size).toBe(1);
  });

  it('rejects a record that cannot be encoded, and ends its hold', async () => {
    const accountId = managers.funded(1_000n);
    const manager = await managers.start();
    const hold = heldBy(await manager.hold(request(accountId, 10n)));
    await expect(hold.capture(record(accountId, -1n))).rejects.toThrow(RangeError);
    const other = heldBy(await manager.hold(request(accountId, 10n)));
    await expect(other.capture(record(accountId, 1n, { durationMs: 2 ** 40 }))).rejects.toThrow('int32');
    expect(manager.stats()).toMatchObject({ openHolds: 0, journalRecords: 0 });
  });
});

describe('a drain', () => {
  it('settles the journal, closes the session and releases the folder', async () => {
    const accountId = managers.funded(10_000n);
    const manager = await managers.start();
    await managers.chargeOne(manager, accountId);
    const open = heldBy(await manager.hold(request(accountId, 100n)));
    const drained = manager.drain(5_000);
    expect(manager.hold(request(accountId, 1n))).toEqual({ kind: 'unavailable', reason: 'session' });
    await open.capture(record(accountId, 7n));
    await drained;
    expect(ledger.charges.size).toBe(2);
    expect(ledger.available.get(accountId)).toBe(9_983n);
    expect(ledger.closedSessions).toEqual([open.sessionId]);
    await managers.start();
  });

  it('leaves unsettled charges to the next start when there is no ledger', async () => {
    const accountId = managers.funded(10_000n);
    const manager = await managers.start();
    const hold = heldBy(await manager.hold(request(accountId, 100n)));
    ledger.stop();
    await hold.capture(record(accountId, 7n));
    await Promise.all([manager.drain(100), manager.drain(100)]);
    expect(ledger.charges.size).toBe(0);
    await ledger.start();
    const next = await managers.start();
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
    'at the start leaves the credit manager unready, %s the database’s, and reports why until it is right',
    async (direction, skewMs) => {
      const clock = skewed();
      clock.skewMs = skewMs;
      const accountId = managers.funded(1_000n);
      const manager = await managers.start({ clock });
      expect(manager.ready()).toBe(false);
      expect(manager.clockProblem()).toBe(`the clock is 900 s ${direction} the database's, more than 60 s`);
      expect(manager.stats().clockAheadMs / skewMs).toBeCloseTo(1, 2);
      expect(await manager.hold(request(accountId, 100n))).toEqual({ kind: 'unavailable', reason: 'clock' });
      clock.skewMs = 0;
      await until(() => manager.ready());
      expect(manager.clockProblem()).toBeUndefined();
      expect(heldBy(await manager.hold(request(accountId, 100n))).nanos).toBe(100n);
    },
  );

  it('by less than a minute is accepted', async () => {
    const clock = skewed();
    clock.skewMs = 50_000;
    const manager = await managers.start({ clock });
    expect(manager.ready()).toBe(true);
    expect(manager.clockProblem()).toBeUndefined();
  });

  it('because it was changed is noticed with the next heartbeat; open holds are charged', async () => {
    const clock = skewed();
    const accountId = managers.funded(1_000n);
    const manager = await managers.start({ clock });
    const hold = heldBy(await manager.hold(request(accountId, 100n)));
    clock.skewMs = -900_000;
    await until(() => manager.clockProblem() !== undefined);
    expect(manager.ready()).toBe(false);
    expect(await manager.hold(request(accountId, 100n))).toEqual({ kind: 'unavailable', reason: 'clock' });
    await hold.capture(record(accountId, 10n));
    await until(() => ledger.charges.size === 1);
  });

  it('rejects requests also while a session is being opened, since their ids carry the wrong time', async () => {
    const clock = skewed();
    const accountId = managers.funded(1_000n);
    const manager = await managers.start({ clock });
    clock.skewMs = 900_000;
    await until(() => manager.clockProblem() !== undefined);
    const { sessionId } = manager.stats();
    ledger.silent = true;
    ledger.fence(sessionId);
    await until(() => manager.stats().sessionId !== sessionId);
    const refused = manager.hold(request(accountId, 100n));
    clock.skewMs = 0;
    ledger.silent = false;
    expect(await refused).toEqual({ kind: 'unavailable', reason: 'clock' });
    await until(() => manager.ready());
  });

  it('because the database’s was changed is noticed too, until that one is corrected', async () => {
    const manager = await managers.start();
    ledger.clockAheadMs = 120_000;
    await until(() => !manager.ready());
    expect(manager.clockProblem()).toContain('s behind the database');
    ledger.clockAheadMs = 0;
    await until(() => manager.ready());
  });
});

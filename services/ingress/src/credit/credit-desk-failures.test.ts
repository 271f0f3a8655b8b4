import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '@tollgate/common/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../journal/clock.ts';
import { heldBy, record, request, temporaryFolder, until } from './testing/desk-fixture.ts';
import type { FakeLedger } from './testing/fake-ledger.ts';
import { FakeLedgerDesks } from './testing/fake-ledger-desks.ts';

let desks: FakeLedgerDesks;
let ledger: FakeLedger;
let folder: FakeLedgerDesks['folder'];

beforeEach(async () => {
  desks = await FakeLedgerDesks.create(1_000n);
  ({ ledger, folder } = desks);
});
afterEach(() => desks.close());

describe('a ledger that is away', () => {
  it('at the start leaves the desk unready until it is there', async () => {
    ledger.stop();
    const desk = await desks.start();
    expect(desk.ready()).toBe(false);
    const accountId = desks.funded(1_000n);
    await ledger.start();
    await until(() => desk.ready());
    expect(heldBy(await desk.hold(request(accountId, 100n))).nanos).toBe(100n);
  });

  it('is not missed while leases and session last; every charge is posted once when it is back', async () => {
    ledger.terms.sessionTtlMs = 3_000n;
    const accountId = desks.funded(10_000n);
    const desk = await desks.start();
    const posted = [await desks.chargeOne(desk, accountId)];
    ledger.stop();
    const stoppedAt = performance.now();
    let lastHeldAt: number | undefined;
    for (;;) {
      const askedAt = performance.now();
      const result = await desk.hold(request(accountId, 100n));
      if (result.kind !== 'held') {
        expect(result).toEqual({ kind: 'unavailable', reason: 'ledger' });
        break;
      }
      lastHeldAt = askedAt;
      const charge = record(accountId, 1n);
      await result.hold.charge(charge);
      posted.push(charge.requestId);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(lastHeldAt).toBeGreaterThan(stoppedAt);
    expect(lastHeldAt).toBeLessThan(stoppedAt + 3_000);
    expect(desk.ready()).toBe(false);
    await ledger.start();
    await until(() => desk.ready() && desk.stats().unsettled === 0);
    posted.push(await desks.chargeOne(desk, accountId));
    await until(() => desk.stats().unsettled === 0);
    expect([...ledger.charges.keys()]).toEqual(posted);
    expect(ledger.balance(accountId)).toBe(10_000n - 20n - BigInt(posted.length - 2));
    expect(ledger.sessions.size).toBe(1);
  });

  it('ends the wait of those who lack credit as unavailable, not as busy', async () => {
    const accountId = desks.funded(1_100n);
    const desk = await desks.start({ limits: { waitMs: 1_000 } });
    heldBy(await desk.hold(request(accountId, 100n)));
    ledger.stop();
    expect(await desk.hold(request(accountId, 5_000n))).toEqual({ kind: 'unavailable', reason: 'ledger' });
  });

  it('that takes heartbeats without confirming them ends new holds, but not open ones', async () => {
    ledger.terms.sessionTtlMs = 3_000n;
    const accountId = desks.funded(10_000n);
    const desk = await desks.start();
    await until(() => desk.ready());
    const hold = heldBy(await desk.hold(request(accountId, 100n)));
    ledger.silent = true;
    await until(() => !desk.ready());
    expect(await desk.hold(request(accountId, 100n))).toEqual({ kind: 'unavailable', reason: 'session' });
    await hold.charge(record(accountId, 10n));
    await until(() => ledger.charges.size === 1);
    ledger.silent = false;
    await until(() => desk.ready());
  });

  it('and then back serves those who waited meanwhile', async () => {
    ledger.terms.sessionTtlMs = 3_000n;
    const accountId = desks.funded(10_000n);
    const desk = await desks.start({ limits: { waitMs: 10_000 } });
    await until(() => desk.ready());
    heldBy(await desk.hold(request(accountId, 100n)));
    ledger.stop();
    const waiting = desk.hold(request(accountId, 5_000n));
    await until(() => !desk.ready());
    await ledger.start();
    expect(heldBy(await waiting).nanos).toBe(5_000n);
  });

  it('is not believed in after the machine was paused', async () => {
    let pausedMs = 0;
    const clock = { monotonicMs: systemClock.monotonicMs, wallMs: () => systemClock.wallMs() + pausedMs };
    const accountId = desks.funded(10_000n);
    const desk = await desks.start({ clock });
    heldBy(await desk.hold(request(accountId, 100n)));
    pausedMs = 60_000;
    expect(desk.hold(request(accountId, 100n))).toEqual({ kind: 'unavailable', reason: 'session' });
    await until(() => desk.ready());
  });
});

describe('a process that was killed', () => {
  it('leaves a journal whose charges the next one settles once, and whose session it closes', async () => {
    const accountId = desks.funded(10_000n);
    const desk = await desks.start();
    const settled = await desks.chargeOne(desk, accountId);
    await until(() => desk.stats().unsettled === 0);
    ledger.settlementsHeld = true;
    const unsettled = [await desks.chargeOne(desk, accountId), await desks.chargeOne(desk, accountId)];
    heldBy(await desk.hold(request(accountId, 100n)));
    // What a kill leaves behind is the folder as it is now; the process itself does nothing more.
    const left = await temporaryFolder();
    await cp(folder.path, left.path, { recursive: true });
    await rm(join(left.path, 'lock'));
    ledger.stop();
    const { sessionId } = desk.stats();
    await desk.drain(0);
    ledger.settlementsHeld = false;
    await ledger.start();
    const next = await desks.start({}, left.path);
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
  it('that cannot be written ends new holds; charges of open ones are settled from memory', async () => {
    const accountId = desks.funded(10_000n);
    const desk = await desks.start({ journalMaxBytes: 64 * 1024 });
    const holds = [];
    for (let count = 0; count < 20; count += 1) holds.push(heldBy(await desk.hold(request(accountId, 10n))));
    await rm(folder.path, { recursive: true });
    await writeFile(folder.path, 'in the way of the next segment');
    await Promise.all(holds.map((hold) => hold.charge(record(accountId, 1n, { keyName: 'x'.repeat(900) }))));
    await until(() => desk.stats().unsettled === 0);
    expect(ledger.charges.size).toBe(20);
    const more = heldBy(await desk.hold(request(accountId, 10n)));
    await more.charge(record(accountId, 1n));
    expect(desk.hold(request(accountId, 10n))).toEqual({ kind: 'unavailable', reason: 'journal' });
    expect(desk.ready()).toBe(false);
    await until(() => ledger.charges.size === 21);
  });

  it('that is full ends new holds until the ledger has acknowledged', async () => {
    const accountId = desks.funded(10_000n);
    const desk = await desks.start({ limits: { journalMaxRecords: 5 } });
    ledger.settlementsHeld = true;
    for (let count = 0; count < 5; count += 1) await desks.chargeOne(desk, accountId, 1n);
    expect(desk.hold(request(accountId, 10n))).toEqual({ kind: 'unavailable', reason: 'journal' });
    ledger.releaseSettlements();
    await until(() => desk.stats().journalRecords === 0);
    await desks.chargeOne(desk, accountId, 1n);
  });

  it('in use by another process keeps the desk unready until it is free', async () => {
    const other = await desks.start();
    const desk = await desks.start();
    expect(desk.ready()).toBe(false);
    expect(desk.hold(request(newId(), 1n))).toEqual({ kind: 'unavailable', reason: 'journal' });
    await other.drain(1_000);
    await until(() => desk.ready());
  });
});

describe('settling', () => {
  it('sends what comes meanwhile as one batch, at most 500 a batch and four batches at a time', async () => {
    const accountId = desks.funded(1_000_000n);
    const desk = await desks.start();
    ledger.settlementsHeld = true;
    const holds = [];
    for (let count = 0; count < 2_300; count += 1) holds.push(heldBy(await desk.hold(request(accountId, 10n))));
    await Promise.all(holds.map((hold) => hold.charge(record(accountId, 1n))));
    await until(() => ledger.batches.length === 4);
    expect(Math.max(...ledger.batches)).toBe(500);
    expect(desk.stats().unsettled).toBe(2_300);
    ledger.releaseSettlements();
    await until(() => desk.stats().unsettled === 0);
    expect(ledger.charges.size).toBe(2_300);
    expect(ledger.balance(accountId)).toBe(1_000_000n - 2_300n);
  });

  it('goes on past a record the ledger fails on', async () => {
    const accountId = desks.funded(10_000n);
    const desk = await desks.start();
    const holds = [];
    for (let count = 0; count < 30; count += 1) holds.push(heldBy(await desk.hold(request(accountId, 10n))));
    const charges = holds.map(() => record(accountId, 1n));
    const [bad] = charges.slice(7);
    ledger.poison.add(bad?.requestId ?? '');
    await Promise.all(holds.map((hold, index) => hold.charge(charges[index] ?? record(accountId, 1n))));
    await until(() => desk.stats().unsettled === 1);
    expect(ledger.charges.size).toBe(29);
    ledger.poison.clear();
    await until(() => desk.stats().unsettled === 0);
    expect(ledger.charges.size).toBe(30);
  });

  it('can be waited for, within a limit', async () => {
    const accountId = desks.funded(10_000n);
    const desk = await desks.start();
    const first = heldBy(await desk.hold(request(accountId, 10n)));
    await first.charge(record(accountId, 1n), { settledWithinMs: 5_000 });
    expect(ledger.charges.size).toBe(1);
    ledger.settlementsHeld = true;
    const second = heldBy(await desk.hold(request(accountId, 10n)));
    await second.charge(record(accountId, 1n), { settledWithinMs: 20 });
    expect(ledger.charges.size).toBe(1);
  });

  it('refuses a record that cannot be encoded, and ends its hold', async () => {
    const accountId = desks.funded(1_000n);
    const desk = await desks.start();
    const hold = heldBy(await desk.hold(request(accountId, 10n)));
    await expect(hold.charge(record(accountId, -1n))).rejects.toThrow(RangeError);
    const other = heldBy(await desk.hold(request(accountId, 10n)));
    await expect(other.charge(record(accountId, 1n, { durationMs: 2 ** 40 }))).rejects.toThrow('int32');
    expect(desk.stats()).toMatchObject({ openHolds: 0, journalRecords: 0 });
  });
});

describe('a drain', () => {
  it('settles what is journaled, closes the session and gives the folder free', async () => {
    const accountId = desks.funded(10_000n);
    const desk = await desks.start();
    await desks.chargeOne(desk, accountId);
    const open = heldBy(await desk.hold(request(accountId, 100n)));
    const drained = desk.drain(5_000);
    expect(desk.hold(request(accountId, 1n))).toEqual({ kind: 'unavailable', reason: 'session' });
    await open.charge(record(accountId, 7n));
    await drained;
    expect(ledger.charges.size).toBe(2);
    expect(ledger.available.get(accountId)).toBe(9_983n);
    expect(ledger.closedSessions).toEqual([open.sessionId]);
    await desks.start();
  });

  it('without a ledger leaves the rest to the next start', async () => {
    const accountId = desks.funded(10_000n);
    const desk = await desks.start();
    const hold = heldBy(await desk.hold(request(accountId, 100n)));
    ledger.stop();
    await hold.charge(record(accountId, 7n));
    await Promise.all([desk.drain(100), desk.drain(100)]);
    expect(ledger.charges.size).toBe(0);
    await ledger.start();
    const next = await desks.start();
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
    'at the start leaves the desk unready, %s the database’s, and says why until it is right',
    async (direction, skewMs) => {
      const clock = skewed();
      clock.skewMs = skewMs;
      const accountId = desks.funded(1_000n);
      const desk = await desks.start({ clock });
      expect(desk.ready()).toBe(false);
      expect(desk.clockProblem()).toBe(`the clock is 900 s ${direction} the database's, more than 60 s`);
      expect(desk.stats().clockAheadMs / skewMs).toBeCloseTo(1, 2);
      expect(await desk.hold(request(accountId, 100n))).toEqual({ kind: 'unavailable', reason: 'clock' });
      clock.skewMs = 0;
      await until(() => desk.ready());
      expect(desk.clockProblem()).toBeUndefined();
      expect(heldBy(await desk.hold(request(accountId, 100n))).nanos).toBe(100n);
    },
  );

  it('by less than a minute is none', async () => {
    const clock = skewed();
    clock.skewMs = 50_000;
    const desk = await desks.start({ clock });
    expect(desk.ready()).toBe(true);
    expect(desk.clockProblem()).toBeUndefined();
  });

  it('since it was set is noticed with the next heartbeat; open holds are charged', async () => {
    const clock = skewed();
    const accountId = desks.funded(1_000n);
    const desk = await desks.start({ clock });
    const hold = heldBy(await desk.hold(request(accountId, 100n)));
    clock.skewMs = -900_000;
    await until(() => desk.clockProblem() !== undefined);
    expect(desk.ready()).toBe(false);
    expect(await desk.hold(request(accountId, 100n))).toEqual({ kind: 'unavailable', reason: 'clock' });
    await hold.charge(record(accountId, 10n));
    await until(() => ledger.charges.size === 1);
  });

  it('has a request refused also while a session is being opened: its id has the time of that clock', async () => {
    const clock = skewed();
    const accountId = desks.funded(1_000n);
    const desk = await desks.start({ clock });
    clock.skewMs = 900_000;
    await until(() => desk.clockProblem() !== undefined);
    const { sessionId } = desk.stats();
    ledger.silent = true;
    ledger.fence(sessionId);
    await until(() => desk.stats().sessionId !== sessionId);
    const refused = desk.hold(request(accountId, 100n));
    clock.skewMs = 0;
    ledger.silent = false;
    expect(await refused).toEqual({ kind: 'unavailable', reason: 'clock' });
    await until(() => desk.ready());
  });

  it('since the database’s was set is noticed too, and forgiven when that is right again', async () => {
    const desk = await desks.start();
    ledger.clockAheadMs = 120_000;
    await until(() => !desk.ready());
    expect(desk.clockProblem()).toContain('s behind the database');
    ledger.clockAheadMs = 0;
    await until(() => desk.ready());
  });
});

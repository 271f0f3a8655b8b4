import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { heldBy, record, request, until } from './testing/desk-fixture.ts';
import type { FakeLedger } from './testing/fake-ledger.ts';
import { FakeLedgerDesks } from './testing/fake-ledger-desks.ts';

let desks: FakeLedgerDesks;
let ledger: FakeLedger;

beforeEach(async () => {
  desks = await FakeLedgerDesks.create(1_000n);
  ({ ledger } = desks);
});
afterEach(() => desks.close());

describe('a session that is fenced', () => {
  it('gives way to a new one; its open holds end under it, and then it is closed', async () => {
    const accountId = desks.funded(10_000n);
    const desk = await desks.start();
    const old = heldBy(await desk.hold(request(accountId, 100n)));
    ledger.fence(old.sessionId);
    await until(() => desk.stats().sessionId !== old.sessionId);
    const next = heldBy(await desk.hold(request(accountId, 100n)));
    expect(next.sessionId).toBe(desk.stats().sessionId);
    expect(ledger.closedSessions).toEqual([]);
    const charge = record(accountId, 10n);
    await old.charge(charge);
    await until(() => ledger.closedSessions.length === 1);
    expect(ledger.closedSessions).toEqual([old.sessionId]);
    expect(ledger.charges.get(charge.requestId)?.sessionId).toBe(old.sessionId);
    next.release();
    await until(() => desk.stats().unsettled === 0);
    expect(ledger.balance(accountId)).toBe(9_990n);
  });

  it('takes those who wait along', async () => {
    ledger.extraNanos = 0n;
    const accountId = desks.funded(100n);
    const desk = await desks.start();
    const old = heldBy(await desk.hold(request(accountId, 100n)));
    const waiting = desk.hold(request(accountId, 50n));
    await until(() => ledger.acquires.some(({ refused }) => refused));
    ledger.fence(old.sessionId);
    await until(() => desk.ready() && desk.stats().sessionId !== old.sessionId);
    await old.charge(record(accountId, 20n));
    expect(heldBy(await waiting).sessionId).toBe(desk.stats().sessionId);
  });
});

describe('another database behind the ledger', () => {
  it('is settled again what was settled lately, under a new session', async () => {
    const accountId = desks.funded(10_000n);
    const desk = await desks.start();
    const requestIds = [await desks.chargeOne(desk, accountId), await desks.chargeOne(desk, accountId)];
    await until(() => desk.stats().unsettled === 0);
    const before = desk.stats().sessionId;
    // The standby that takes over lacks the last charge.
    ledger.charges.delete(requestIds[1] ?? '');
    ledger.databaseId = 'database-2';
    await until(() => ledger.charges.size === 2);
    await until(() => desk.stats().unsettled === 0 && desk.ready());
    expect(desk.stats().sessionId).not.toBe(before);
    expect(desk.stats().duplicate).toBe(1);
    await until(() => ledger.closedSessions.includes(before));
    expect(heldBy(await desk.hold(request(accountId, 100n))).sessionId).toBe(desk.stats().sessionId);
  });

  it('keeps the leases of the session before until what they cover is settled again', async () => {
    const accountId = desks.funded(10_000n);
    const desk = await desks.start();
    await desks.chargeOne(desk, accountId);
    await until(() => desk.stats().unsettled === 0);
    const before = desk.stats().sessionId;
    ledger.charges.clear();
    ledger.settlementsHeld = true;
    ledger.databaseId = 'database-2';
    await until(() => desk.stats().sessionId !== before && desk.ready() && desk.stats().unsettled === 1);
    // The stream of the new session is open by now, and a closing sent before this answer would be there.
    heldBy(await desk.hold(request(accountId, 100n))).release();
    expect(ledger.closedSessions).toEqual([]);
    ledger.releaseSettlements();
    await until(() => ledger.closedSessions.includes(before));
    expect(ledger.charges.size).toBe(1);
  });
});

describe('credit of a session that another database has retired', () => {
  it('is free again while requests of it are still open, its own account’s and others’', async () => {
    const [accountId, streaming] = [desks.funded(100n), desks.funded(100n)];
    const desk = await desks.start({ limits: { waitMs: 5_000 } });
    heldBy(await desk.hold(request(streaming, 100n)));
    // All of the balance is on the lease, of which ten are held.
    const all = heldBy(await desk.hold(request(accountId, 100n)));
    all.release();
    const open = heldBy(await desk.hold(request(accountId, 10n)));
    const before = desk.stats().sessionId;
    ledger.databaseId = 'database-2';
    await until(() => desk.stats().sessionId !== before && desk.ready());
    const next = heldBy(await desk.hold(request(accountId, 90n)));
    expect(next.sessionId).toBe(desk.stats().sessionId);
    // What was kept covers the request that is still open, to its last nano.
    await open.charge(record(accountId, 10n));
    await next.charge(record(accountId, 90n));
    await until(() => desk.stats().unsettled === 0);
    expect(desk.stats()).toMatchObject({ posted: 2, loss: 0 });
    expect(ledger.balance(accountId)).toBe(0n);
  });

  it('is free again as its requests end and its charges are settled', async () => {
    const [accountId, streaming] = [desks.funded(100n), desks.funded(100n)];
    const desk = await desks.start({ limits: { waitMs: 10_000 } });
    heldBy(await desk.hold(request(streaming, 100n)));
    const open = heldBy(await desk.hold(request(accountId, 100n)));
    const before = desk.stats().sessionId;
    ledger.databaseId = 'database-2';
    await until(() => desk.stats().sessionId !== before && desk.ready());
    const waiting = desk.hold(request(accountId, 60n));
    ledger.settlementsHeld = true;
    await open.charge(record(accountId, 40n));
    await until(() => ledger.releases.some(({ accountId: id, keepNanos }) => id === accountId && keepNanos === 40n));
    ledger.releaseSettlements();
    expect(heldBy(await waiting).nanos).toBe(60n);
    expect(desk.stats()).toMatchObject({ posted: 1, loss: 0 });
  });

  it('is kept until what the other database lacks is settled again', async () => {
    const accountId = desks.funded(100n);
    const desk = await desks.start({ limits: { waitMs: 10_000 } });
    heldBy(await desk.hold(request(accountId, 20n)));
    await heldBy(await desk.hold(request(accountId, 80n))).charge(record(accountId, 30n));
    await until(() => desk.stats().unsettled === 0);
    ledger.forgetCharges();
    ledger.settlementsHeld = true;
    ledger.databaseId = 'database-2';
    const waiting = desk.hold(request(accountId, 50n));
    await until(() => desk.ready() && desk.stats().unsettled === 1);
    expect(ledger.releases).toEqual([]);
    ledger.releaseSettlements();
    expect(heldBy(await waiting).nanos).toBe(50n);
    expect(ledger.balance(accountId)).toBe(70n);
    expect(desk.stats()).toMatchObject({ loss: 0 });
  });
});

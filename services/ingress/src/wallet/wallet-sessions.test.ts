import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { heldBy, record, request, until } from '../../testing/credit/credit-fixture.ts';
import type { FakeLedger } from '../../testing/credit/fake-ledger.ts';
import { FakeLedgerManagers } from '../../testing/credit/fake-ledger-wallets.ts';

let wallets: FakeLedgerManagers;
let ledger: FakeLedger;

beforeEach(async () => {
  wallets = await FakeLedgerManagers.create(1_000n);
  ({ ledger } = wallets);
});
afterEach(() => wallets.close());

describe('a fenced session', () => {
  it('is replaced; its open holds end under it, and then it is closed', async () => {
    const accountId = wallets.funded(10_000n);
    const wallet = await wallets.start();
    const old = heldBy(await wallet.hold(request(accountId, 100n)));
    ledger.fence(old.sessionId);
    await until(() => wallet.stats().sessionId !== old.sessionId);
    const next = heldBy(await wallet.hold(request(accountId, 100n)));
    expect(next.sessionId).toBe(wallet.stats().sessionId);
    expect(ledger.closedSessions).toEqual([]);
    const charge = record(accountId, 10n);
    await old.capture(charge);
    await until(() => ledger.closedSessions.length === 1);
    expect(ledger.closedSessions).toEqual([old.sessionId]);
    expect(ledger.charges.get(charge.requestId)?.sessionId).toBe(old.sessionId);
    next.release();
    await until(() => wallet.stats().unsettled === 0);
    expect(ledger.balance(accountId)).toBe(9_990n);
  });

  it('moves waiting requests to the next session', async () => {
    ledger.extraNanos = 0n;
    const accountId = wallets.funded(100n);
    const wallet = await wallets.start();
    const old = heldBy(await wallet.hold(request(accountId, 100n)));
    const waiting = wallet.hold(request(accountId, 50n));
    await until(() => ledger.acquires.some(({ refused }) => refused));
    ledger.fence(old.sessionId);
    await until(() => wallet.ready() && wallet.stats().sessionId !== old.sessionId);
    await old.capture(record(accountId, 20n));
    expect(heldBy(await waiting).sessionId).toBe(wallet.stats().sessionId);
  });
});

describe('a changed database of the ledger', () => {
  it('receives recent charges again, under a new session', async () => {
    const accountId = wallets.funded(10_000n);
    const wallet = await wallets.start();
    const requestIds = [await wallets.chargeOne(wallet, accountId), await wallets.chargeOne(wallet, accountId)];
    await until(() => wallet.stats().unsettled === 0);
    const before = wallet.stats().sessionId;
    // The promoted standby lacks the last charge.
    ledger.charges.delete(requestIds[1] ?? '');
    ledger.databaseId = 'database-2';
    await until(() => ledger.charges.size === 2);
    await until(() => wallet.stats().unsettled === 0 && wallet.ready());
    expect(wallet.stats().sessionId).not.toBe(before);
    expect(wallet.stats().duplicate).toBe(1);
    await until(() => ledger.closedSessions.includes(before));
    expect(heldBy(await wallet.hold(request(accountId, 100n))).sessionId).toBe(wallet.stats().sessionId);
  });

  it('keeps the leases of the previous session until their charges are settled again', async () => {
    const accountId = wallets.funded(10_000n);
    const wallet = await wallets.start();
    await wallets.chargeOne(wallet, accountId);
    await until(() => wallet.stats().unsettled === 0);
    const before = wallet.stats().sessionId;
    ledger.charges.clear();
    ledger.settlementsHeld = true;
    ledger.databaseId = 'database-2';
    await until(() => wallet.stats().sessionId !== before && wallet.ready() && wallet.stats().unsettled === 1);
    // The new session's stream is open by now: a close sent before this response would have arrived.
    heldBy(await wallet.hold(request(accountId, 100n))).release();
    expect(ledger.closedSessions).toEqual([]);
    ledger.releaseSettlements();
    await until(() => ledger.closedSessions.includes(before));
    expect(ledger.charges.size).toBe(1);
  });
});

describe('credit of a session that was replaced after a change of database', () => {
  it('is released while requests of the same and of other accounts are still open', async () => {
    const [accountId, streaming] = [wallets.funded(100n), wallets.funded(100n)];
    const wallet = await wallets.start({ limits: { waitMs: 5_000 } });
    heldBy(await wallet.hold(request(streaming, 100n)));
    // The total balance is leased; ten of it are held.
    const all = heldBy(await wallet.hold(request(accountId, 100n)));
    all.release();
    const open = heldBy(await wallet.hold(request(accountId, 10n)));
    const before = wallet.stats().sessionId;
    ledger.databaseId = 'database-2';
    await until(() => wallet.stats().sessionId !== before && wallet.ready());
    const next = heldBy(await wallet.hold(request(accountId, 90n)));
    expect(next.sessionId).toBe(wallet.stats().sessionId);
    // The kept credit is exactly that of the request that is still open.
    await open.capture(record(accountId, 10n));
    await next.capture(record(accountId, 90n));
    await until(() => wallet.stats().unsettled === 0);
    expect(wallet.stats()).toMatchObject({ posted: 2, loss: 0 });
    expect(ledger.balance(accountId)).toBe(0n);
  });

  it('is released as its requests end and its charges are settled', async () => {
    const [accountId, streaming] = [wallets.funded(100n), wallets.funded(100n)];
    const wallet = await wallets.start({ limits: { waitMs: 10_000 } });
    heldBy(await wallet.hold(request(streaming, 100n)));
    const open = heldBy(await wallet.hold(request(accountId, 100n)));
    const before = wallet.stats().sessionId;
    ledger.databaseId = 'database-2';
    await until(() => wallet.stats().sessionId !== before && wallet.ready());
    const waiting = wallet.hold(request(accountId, 60n));
    ledger.settlementsHeld = true;
    await open.capture(record(accountId, 40n));
    await until(() => ledger.releases.some(({ accountId: id, keepNanos }) => id === accountId && keepNanos === 40n));
    ledger.releaseSettlements();
    expect(heldBy(await waiting).nanos).toBe(60n);
    await until(() => wallet.stats().unsettled === 0);
    expect(wallet.stats()).toMatchObject({ posted: 1, loss: 0 });
  });

  it('is kept until charges that the other database lacks are settled again', async () => {
    const accountId = wallets.funded(100n);
    const wallet = await wallets.start({ limits: { waitMs: 10_000 } });
    heldBy(await wallet.hold(request(accountId, 20n)));
    await heldBy(await wallet.hold(request(accountId, 80n))).capture(record(accountId, 30n));
    await until(() => wallet.stats().unsettled === 0);
    ledger.forgetCharges();
    ledger.settlementsHeld = true;
    ledger.databaseId = 'database-2';
    const waiting = wallet.hold(request(accountId, 50n));
    await until(() => wallet.ready() && wallet.stats().unsettled === 1);
    expect(ledger.releases).toEqual([]);
    ledger.releaseSettlements();
    expect(heldBy(await waiting).nanos).toBe(50n);
    await until(() => ledger.balance(accountId) === 70n);
    expect(wallet.stats()).toMatchObject({ loss: 0 });
  });
});

import { newId } from '@tollgate/common/ids';
import type { KeyCaps } from '@tollgate/common/keys/index';
import type { LeaseResponse } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CreditDesk } from '../credit-desk.ts';
import { heldBy, record, request, until } from '../testing/desk-fixture.ts';
import { Desks, WAITS_BRIEFLY } from '../testing/desks.ts';
import type { LedgerProcess } from '../testing/ledger-process.ts';
import type { Hold, HoldRequest, HoldResult } from '../types.ts';

const DAY_MS = 86_400_000;
/** When requests start, unless said otherwise: the same for all, so that no midnight comes between two of them. */
const NOW = Date.now();
const MIDNIGHT = NOW - (NOW % DAY_MS);
let desks: Desks;
let ledger: LedgerProcess;

beforeAll(async () => {
  desks = await Desks.create();
  ({ ledger } = desks);
});
afterAll(() => ledger.drop());
afterEach(() => desks.clear());

/** A key with caps, on an account with far more than they allow unless said otherwise. */
async function cappedKey(caps: KeyCaps, balance = 1_000_000n) {
  const accountId = await ledger.funded(balance);
  const keyId = newId();
  let latest = { caps, revision: 1n };
  const ask = (maxNanos: bigint, overrides: Partial<HoldRequest> & { startedAtMs?: number } = {}): HoldRequest => {
    const { startedAtMs = NOW, ...rest } = overrides;
    return request(accountId, maxNanos, { capped: { keyId, startedAtMs, ...latest }, ...rest });
  };
  const change = (changed: KeyCaps) => {
    latest = { caps: changed, revision: latest.revision + 1n };
  };
  const cost = (nanos: bigint, startedAtMs = NOW) =>
    record(accountId, nanos, { keyId, requestId: idOf(startedAtMs), startedAtMs: BigInt(startedAtMs) });
  return { accountId, keyId, ask, change, cost };
}

/** Waits until a desk has credit from a ledger that was started again, which it can tell late. */
async function connected(desk: CreditDesk): Promise<void> {
  const accountId = await ledger.funded(1n);
  const isServed = async () => {
    const result = await desk.hold(request(accountId, 1n));
    if (result.kind === 'held') result.hold.release();
    return result.kind === 'held';
  };
  await until(isServed);
}

describe('a hold of a key with caps', () => {
  it('is made at once, without a promise, where all leases suffice', async () => {
    const key = await cappedKey({ dayNanos: 100_000n, monthNanos: 200_000n, totalNanos: 300_000n });
    const desk = await desks.start();
    heldBy(await desk.hold(key.ask(100n))).release();
    const second = desk.hold(key.ask(100n));
    expect(second).not.toBeInstanceOf(Promise);
    heldBy(await second).release();
  });

  it('names its caps in the charge, which counts on each of them', async () => {
    const key = await cappedKey({ dayNanos: 1_000n, totalNanos: 500n });
    const desk = await desks.start();
    await heldBy(await desk.hold(key.ask(400n))).charge(key.cost(300n));
    await until(() => desks.settled());
    expect(await desk.hold(key.ask(201n))).toEqual({
      kind: 'capped',
      cap: { period: 'total', startMs: 0, limitNanos: 500n, leftNanos: 200n },
    });
    key.change({ dayNanos: 1_000n });
    expect(await desk.hold(key.ask(701n))).toEqual({
      kind: 'capped',
      cap: { period: 'day', startMs: MIDNIGHT, limitNanos: 1_000n, leftNanos: 700n },
    });
  });

  it('shrinks to what is left of the scarcest cap, or to the balance where that is less', async () => {
    const key = await cappedKey({ dayNanos: 900n, monthNanos: 70n, totalNanos: 500n }, 1_000n);
    const desk = await desks.start();
    const hold = heldBy(await desk.hold(key.ask(1_000n, { minNanos: 50n })));
    expect(hold.nanos).toBe(70n);
    await hold.charge(key.cost(30n));
    await until(() => desks.settled());
    expect(await desk.hold(key.ask(100n, { minNanos: 50n }))).toMatchObject({
      kind: 'capped',
      cap: { period: 'month', leftNanos: 40n },
    });
    const poor = await cappedKey({ totalNanos: 500n }, 20n);
    const small = heldBy(await desk.hold(poor.ask(100n, { minNanos: 10n })));
    expect(small.nanos).toBe(20n);
    small.release();
    expect(await desk.hold(poor.ask(100n))).toEqual({ kind: 'insufficient', balanceNanos: 20n });
    // What the refused one took of the cap is free again.
    expect(heldBy(await desk.hold(poor.ask(20n))).nanos).toBe(20n);
  });

  it('waits for what the key holds itself, then is busy, and holds nothing of the account meanwhile', async () => {
    const key = await cappedKey({ totalNanos: 100n }, 200n);
    const desk = await desks.start(WAITS_BRIEFLY);
    const first = heldBy(await desk.hold(key.ask(100n)));
    const waiting = desk.hold(key.ask(60n));
    expect(heldBy(await desk.hold(request(key.accountId, 100n))).nanos).toBe(100n);
    expect(await waiting).toMatchObject({ kind: 'busy', cap: 'total' });
    const again = desk.hold(key.ask(60n));
    first.release();
    expect(heldBy(await again).nanos).toBe(60n);
    expect(desk.stats().waiting).toBe(0);
  });

  it('ends as aborted when the client leaves, and leaves nothing behind', async () => {
    const key = await cappedKey({ totalNanos: 100n }, 200n);
    const desk = await desks.start({ limits: { journalMaxRecords: 2 } });
    const first = heldBy(await desk.hold(key.ask(100n)));
    const client = new AbortController();
    const waiting = desk.hold(key.ask(60n, { signal: client.signal }));
    client.abort();
    expect(await waiting).toEqual({ kind: 'aborted' });
    first.release();
    expect(heldBy(await desk.hold(key.ask(60n))).nanos).toBe(60n);
    expect(heldBy(await desk.hold(key.ask(40n))).nanos).toBe(40n);
    expect(desk.stats()).toMatchObject({ waiting: 0, openHolds: 2 });
  });

  it('of nothing is refused by no cap, and any other by a cap of 0', async () => {
    const key = await cappedKey({ totalNanos: 0n });
    const desk = await desks.start();
    expect(heldBy(await desk.hold(key.ask(0n))).nanos).toBe(0n);
    expect(await desk.hold(key.ask(1n))).toMatchObject({ kind: 'capped', cap: { limitNanos: 0n, leftNanos: 0n } });
  });
});

describe('the day of a hold', () => {
  it('is the one its request started in, whenever it ends', async () => {
    const key = await cappedKey({ dayNanos: 100n });
    const desk = await desks.start();
    const late = { startedAtMs: MIDNIGHT - 1 };
    const before = heldBy(await desk.hold(key.ask(100n, late)));
    const after = heldBy(await desk.hold(key.ask(100n)));
    await before.charge(key.cost(100n, late.startedAtMs));
    await after.charge(key.cost(40n));
    await until(() => desks.settled());
    expect(desk.stats()).toMatchObject({ posted: 2, loss: 0, quarantined: 0 });
    expect(await desk.hold(key.ask(1n, late))).toMatchObject({ kind: 'capped', cap: { leftNanos: 0n } });
    expect(heldBy(await desk.hold(key.ask(60n))).nanos).toBe(60n);
  });
});

describe('a change of caps', () => {
  it('acts on the next request: lowered beneath what is spent, raised, lifted and set again', async () => {
    const key = await cappedKey({ totalNanos: 1_000n });
    const desk = await desks.start();
    await heldBy(await desk.hold(key.ask(500n))).charge(key.cost(400n));
    await until(() => desks.settled());
    key.change({ totalNanos: 399n });
    expect(await desk.hold(key.ask(1n))).toMatchObject({ kind: 'capped', cap: { limitNanos: 399n, leftNanos: 0n } });
    key.change({ totalNanos: 450n });
    await heldBy(await desk.hold(key.ask(50n))).charge(key.cost(50n));
    const uncapped = heldBy(await desk.hold(request(key.accountId, 900n)));
    await uncapped.charge(key.cost(900n));
    await until(() => desks.settled());
    key.change({ totalNanos: 1_500n });
    expect(await desk.hold(key.ask(151n))).toMatchObject({ kind: 'capped', cap: { leftNanos: 150n } });
    expect(heldBy(await desk.hold(key.ask(150n))).nanos).toBe(150n);
  });

  it('counts what open requests hold that began under the old cap', async () => {
    const key = await cappedKey({ totalNanos: 1_000n });
    const desk = await desks.start(WAITS_BRIEFLY);
    const open = heldBy(await desk.hold(key.ask(600n)));
    key.change({ totalNanos: 500n });
    expect(await desk.hold(key.ask(100n))).toMatchObject({ kind: 'busy', cap: 'total' });
    await open.charge(key.cost(450n));
    await until(() => desks.settled());
    expect(await desk.hold(key.ask(51n))).toMatchObject({ kind: 'capped', cap: { leftNanos: 50n } });
    expect(heldBy(await desk.hold(key.ask(50n))).nanos).toBe(50n);
  });
});

describe('200 requests at once of a key whose cap pays for ten', () => {
  it('over three ingresses: exactly ten, whose charges fill the cap to the nano, and other keys go on', async () => {
    const key = await cappedKey({ dayNanos: 10_000n, monthNanos: 1_000_000n });
    const three = [await desks.start(), await desks.start(), await desks.start()];
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, index) => decided(three[index % 3], () => key.ask(1_000n))),
    );
    expect(results.filter((kind) => kind === 'held')).toHaveLength(10);
    expect(results.filter((kind) => kind === 'capped')).toHaveLength(190);
    await until(() => desks.settled());
    for (const desk of three) {
      expect(await desk.hold(key.ask(1n))).toMatchObject({ kind: 'capped', cap: { period: 'day', leftNanos: 0n } });
      heldBy(await desk.hold(request(key.accountId, 1_000n))).release();
      expect(desk.stats()).toMatchObject({ loss: 0, quarantined: 0, waiting: 0, openHolds: 0 });
    }
    expect(await ledger.balance(key.accountId)).toMatchObject({ balanceNanos: 990_000n });

    /** Asks until the answer is not "busy", and spends the whole of what it gets. */
    async function decided(desk: CreditDesk | undefined, ask: () => HoldRequest): Promise<HoldResult['kind']> {
      if (desk === undefined) throw new Error('there are three');
      for (let attempt = 0; attempt < 50; attempt += 1) {
        const result = await desk.hold(ask());
        if (result.kind === 'held') await result.hold.charge(key.cost(1_000n));
        if (result.kind !== 'busy') return result.kind;
      }
      return 'busy';
    }
  });

  it('and use a tenth of what they hold: the cap is used up to less than one hold', async () => {
    const key = await cappedKey({ totalNanos: 10_000n });
    const both = [await desks.start(), await desks.start()];
    let charged = 0n;
    const client = async (desk: CreditDesk) => {
      for (;;) {
        const result = await desk.hold(key.ask(1_000n));
        if (result.kind === 'capped') return result.cap.leftNanos;
        if (result.kind !== 'held') continue;
        await result.hold.charge(key.cost(100n));
        charged += 100n;
      }
    };
    const left = await Promise.all(both.flatMap((desk) => Array.from({ length: 40 }, () => client(desk))));
    expect(charged).toBe(9_100n);
    for (const each of left) expect(each).toBeLessThan(1_000n);
    await until(() => desks.settled());
  });
});

describe('a session with caps', () => {
  it('that a stream broke goes on with what it has, and a fenced one is replaced', async () => {
    const key = await cappedKey({ totalNanos: 1_000n });
    const desk = await desks.start();
    const first = heldBy(await desk.hold(key.ask(400n)));
    await ledger.kill();
    await ledger.start();
    await connected(desk);
    const second = heldBy(await desk.hold(key.ask(600n)));
    expect(second.sessionId).toBe(first.sessionId);
    await first.charge(key.cost(400n));
    second.release();
    await until(() => desks.settled());
    await ledger.closeSession(first.sessionId);
    await until(() => desk.stats().sessionId !== first.sessionId && desk.ready());
    const third = heldBy(await desk.hold(key.ask(600n)));
    expect(third.sessionId).not.toBe(first.sessionId);
    await third.charge(key.cost(600n));
    await until(() => desks.settled());
    expect(await desk.hold(key.ask(1n))).toMatchObject({ kind: 'capped', cap: { leftNanos: 0n } });
    expect(desk.stats()).toMatchObject({ posted: 2, loss: 0 });
  });

  it('carries requests that wait over to the next session, under one session as a whole', async () => {
    const key = await cappedKey({ dayNanos: 500n, totalNanos: 1_000n });
    const desk = await desks.start();
    const first = heldBy(await desk.hold(key.ask(500n)));
    const waiting = desk.hold(key.ask(300n));
    await ledger.closeSession(first.sessionId);
    const second = heldBy(await waiting);
    expect(second.sessionId).not.toBe(first.sessionId);
    await second.charge(key.cost(300n));
    first.release();
    await until(() => desks.settled());
    expect(desk.stats()).toMatchObject({ posted: 1, loss: 0, openHolds: 0, waiting: 0 });
  });

  it('that was replaced charges what it holds under a cap changed since, and returns none of its follower’s part', async () => {
    const key = await cappedKey({ totalNanos: 1_000n });
    const { client, changeDatabase } = clientWithDatabases();
    const desk = await desks.start({ ...WAITS_BRIEFLY, ledger: client });
    const first = heldBy(await desk.hold(key.ask(600n)));
    // It takes nothing of the cap from here on, and gives back what comes free of it.
    key.change({ totalNanos: 500n });
    expect(await desk.hold(key.ask(100n))).toMatchObject({ kind: 'busy', cap: 'total' });
    changeDatabase();
    await until(() => desk.stats().sessionId !== first.sessionId && desk.ready());
    key.change({ totalNanos: 900n });
    const second = heldBy(await desk.hold(key.ask(300n)));
    expect(second.sessionId).not.toBe(first.sessionId);
    await first.charge(key.cost(100n));
    await until(() => desks.settled());
    const other = await desks.start(WAITS_BRIEFLY);
    const rest = await heldInTime(other, key.ask(500n));
    expect(await other.hold(key.ask(1n))).toMatchObject({ kind: 'busy', cap: 'total' });
    await Promise.all([second.charge(key.cost(300n)), rest.charge(key.cost(500n))]);
    await until(() => desks.settled());
    expect(await other.hold(key.ask(1n))).toMatchObject({ kind: 'capped', cap: { limitNanos: 900n, leftNanos: 0n } });
    expect(desk.stats()).toMatchObject({ posted: 2, loss: 0, quarantined: 0 });
    expect(await ledger.balance(key.accountId)).toMatchObject({ balanceNanos: 999_100n });
  });

  it('gives back, for another one, a part of a cap and of the balance that it was never told of', async () => {
    const key = await cappedKey({ totalNanos: 1_000n }, 1_000n);
    const desk = await desks.start();
    await ledger.grantUnheard(desk.stats().sessionId, key.accountId, {
      keyId: key.keyId,
      limitNanos: 1_000n,
      nanos: 400n,
    });
    await ledger.kill();
    await ledger.start();
    await connected(desk);
    const other = await desks.start();
    expect(heldBy(await other.hold(key.ask(1_000n))).nanos).toBe(1_000n);
    expect(desk.stats()).toMatchObject({ loss: 0, openHolds: 0, waiting: 0 });
  });

  it('forgets a cap once it is idle, and begins from the right place when it is used again', async () => {
    const key = await cappedKey({ totalNanos: 1_000n });
    const desk = await desks.start({ limits: { idleReturnMs: 20 } });
    await heldBy(await desk.hold(key.ask(100n))).charge(key.cost(70n));
    await until(() => desks.settled());
    await until(() => desk.stats().leases === 0 && desk.stats().caps === 0);
    const other = await desks.start();
    await heldBy(await other.hold(key.ask(930n))).charge(key.cost(900n));
    await until(() => desks.settled());
    expect(await desk.hold(key.ask(31n))).toMatchObject({ kind: 'capped', cap: { leftNanos: 30n } });
    expect(heldBy(await desk.hold(key.ask(30n))).nanos).toBe(30n);
  });
});

/** A client of the ledger that can be shown another database behind it, as after a failover. */
function clientWithDatabases() {
  const client = ledger.newClient();
  const lease = client.lease.bind(client);
  let databases = 1;
  vi.spyOn(client, 'lease').mockImplementation(() => {
    const call = lease();
    call.on('data', ({ message }: LeaseResponse) => {
      if (message?.$case === 'opened' || message?.$case === 'heartbeat') message.value.databaseId += `-${databases}`;
    });
    return call;
  });
  const changeDatabase = () => {
    databases += 1;
  };
  return { client, changeDatabase };
}

/** Asks until what the key's other requests held has come free. */
async function heldInTime(desk: CreditDesk, asked: HoldRequest): Promise<Hold> {
  let result = await desk.hold(asked);
  await until(async () => {
    if (result.kind === 'busy') result = await desk.hold(asked);
    return result.kind !== 'busy';
  });
  return heldBy(result);
}

/** A new id of a request that started then. */
function idOf(unixMs: number): string {
  const hex = unixMs.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${newId().slice(13)}`;
}

import { periodStart } from '@tollgate/common/cap-periods';
import { newId } from '@tollgate/common/ids';
import { SESSION_REVISION, type SpendingCaps } from '@tollgate/common/keys/index';
import type { LeaseResponse } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { heldBy, record, request, until } from '../../../testing/credit/credit-fixture.ts';
import type { LedgerProcess } from '../../../testing/credit/ledger-process.ts';
import { WAITS_BRIEFLY, Wallets } from '../../../testing/credit/wallets.ts';
import type { Wallet } from '../wallet.ts';
import type { CappedNode, Hold, HoldRequest, HoldResult } from './types.ts';

const DAY_MS = 86_400_000;
/** Default start of requests: the same for all, so that no midnight comes between two of them. */
const NOW = Date.now();
const MIDNIGHT = NOW - (NOW % DAY_MS);
let wallets: Wallets;
let ledger: LedgerProcess;

beforeAll(async () => {
  wallets = await Wallets.create();
  ({ ledger } = wallets);
});
afterAll(() => ledger.drop());
afterEach(() => wallets.clear());

/** A key with caps, by default on an account with far more credit than they allow. */
async function cappedKey(caps: SpendingCaps, balance = 1_000_000n) {
  const accountId = await ledger.funded(balance);
  const keyId = newId();
  let latest: Pick<CappedNode, 'caps' | 'grants' | 'revision'> = { caps, grants: [], revision: 1n };
  const requestOf = (
    maxNanos: bigint,
    overrides: Partial<HoldRequest> & { startedAtMs?: number } = {},
  ): HoldRequest => {
    const { startedAtMs = NOW, ...rest } = overrides;
    return request(accountId, maxNanos, { capped: { nodes: [{ nodeId: keyId, ...latest }], startedAtMs }, ...rest });
  };
  const change = (changed: SpendingCaps) => {
    latest = { ...latest, caps: changed, revision: latest.revision + 1n };
  };
  /** Grants a higher limit in the day in which a request starts. */
  const grant = (limitNanos: bigint, startedAtMs = NOW) => {
    const periodStartMs = periodStart('day', startedAtMs);
    const grants = [{ period: 'day' as const, periodStartMs, sessionNodeId: '', limitNanos, revision: 0n }];
    latest = { ...latest, grants, revision: latest.revision + 1n };
  };
  const cost = (nanos: bigint, startedAtMs = NOW) =>
    record(accountId, nanos, { keyId, requestId: idOf(startedAtMs), startedAtMs: BigInt(startedAtMs) });
  return { accountId, keyId, request: requestOf, change, grant, cost };
}

/** Waits until a wallet gets credit from a restarted ledger, which it may notice late. */
async function connected(wallet: Wallet): Promise<void> {
  const accountId = await ledger.funded(1n);
  const isServed = async () => {
    const result = await wallet.hold(request(accountId, 1n));
    if (result.kind === 'held') result.hold.release();
    return result.kind === 'held';
  };
  await until(isServed);
}

describe('a hold of a key with caps', () => {
  it('is made synchronously, without a promise, when all leases suffice', async () => {
    const key = await cappedKey({ dayNanos: 100_000n, monthNanos: 200_000n, totalNanos: 300_000n });
    const wallet = await wallets.start();
    heldBy(await wallet.hold(key.request(100n))).release();
    const second = wallet.hold(key.request(100n));
    expect(second).not.toBeInstanceOf(Promise);
    heldBy(await second).release();
  });

  it('names its caps in the charge, which counts against each of them', async () => {
    const key = await cappedKey({ dayNanos: 1_000n, totalNanos: 500n });
    const wallet = await wallets.start();
    await heldBy(await wallet.hold(key.request(400n))).capture(key.cost(300n));
    await until(() => wallets.settled());
    expect(await wallet.hold(key.request(201n))).toMatchObject({
      kind: 'insufficient',
      limit: { nodeId: key.keyId, window: 'total', startMs: 0, limitNanos: 500n, spentNanos: 300n, leftNanos: 200n },
    });
    key.change({ dayNanos: 1_000n });
    expect(await wallet.hold(key.request(701n))).toMatchObject({
      kind: 'insufficient',
      limit: {
        nodeId: key.keyId,
        window: 'day',
        startMs: MIDNIGHT,
        limitNanos: 1_000n,
        spentNanos: 300n,
        leftNanos: 700n,
      },
    });
  });

  it('shrinks to the rest of the smallest cap, or to the balance where that is less', async () => {
    const key = await cappedKey({ dayNanos: 900n, monthNanos: 70n, totalNanos: 500n }, 1_000n);
    const wallet = await wallets.start();
    const hold = heldBy(await wallet.hold(key.request(1_000n, { minNanos: 50n })));
    expect(hold.nanos).toBe(70n);
    await hold.capture(key.cost(30n));
    await until(() => wallets.settled());
    expect(await wallet.hold(key.request(100n, { minNanos: 50n }))).toMatchObject({
      kind: 'insufficient',
      limit: { window: 'month', leftNanos: 40n },
    });
    const poor = await cappedKey({ totalNanos: 500n }, 20n);
    const small = heldBy(await wallet.hold(poor.request(100n, { minNanos: 10n })));
    expect(small.nanos).toBe(20n);
    small.release();
    expect(await wallet.hold(poor.request(100n))).toMatchObject({
      kind: 'insufficient',
      limit: { window: null, leftNanos: 20n },
    });
    // The rejected request's part of the cap is free again.
    expect(heldBy(await wallet.hold(poor.request(20n))).nanos).toBe(20n);
  });

  it('waits for what the same key holds, then is busy, and holds nothing of the account meanwhile', async () => {
    const key = await cappedKey({ totalNanos: 100n }, 200n);
    const wallet = await wallets.start(WAITS_BRIEFLY);
    const first = heldBy(await wallet.hold(key.request(100n)));
    const waiting = wallet.hold(key.request(60n));
    expect(heldBy(await wallet.hold(request(key.accountId, 100n))).nanos).toBe(100n);
    expect(await waiting).toMatchObject({ kind: 'busy', limit: { window: 'total' } });
    const again = wallet.hold(key.request(60n));
    first.release();
    expect(heldBy(await again).nanos).toBe(60n);
    expect(wallet.stats().waiting).toBe(0);
  });

  it('ends as aborted when the client disconnects, and leaves nothing held', async () => {
    const key = await cappedKey({ totalNanos: 100n }, 200n);
    const wallet = await wallets.start({ limits: { journalMaxRecords: 2 } });
    const first = heldBy(await wallet.hold(key.request(100n)));
    const client = new AbortController();
    const waiting = wallet.hold(key.request(60n, { signal: client.signal }));
    client.abort();
    expect(await waiting).toEqual({ kind: 'aborted' });
    first.release();
    expect(heldBy(await wallet.hold(key.request(60n))).nanos).toBe(60n);
    expect(heldBy(await wallet.hold(key.request(40n))).nanos).toBe(40n);
    expect(wallet.stats()).toMatchObject({ waiting: 0, openHolds: 2 });
  });

  it('of zero passes every cap, and any other is rejected by a cap of 0', async () => {
    const key = await cappedKey({ totalNanos: 0n });
    const wallet = await wallets.start();
    expect(heldBy(await wallet.hold(key.request(0n))).nanos).toBe(0n);
    expect(await wallet.hold(key.request(1n))).toMatchObject({
      kind: 'insufficient',
      limit: { nodeId: key.keyId, limitNanos: 0n, leftNanos: 0n },
    });
  });
});

describe('the day of a hold', () => {
  it('is the one in which its request started, whenever it ends', async () => {
    const key = await cappedKey({ dayNanos: 100n });
    const wallet = await wallets.start();
    const late = { startedAtMs: MIDNIGHT - 1 };
    const before = heldBy(await wallet.hold(key.request(100n, late)));
    const after = heldBy(await wallet.hold(key.request(100n)));
    await before.capture(key.cost(100n, late.startedAtMs));
    await after.capture(key.cost(40n));
    await until(() => wallets.settled());
    expect(wallet.stats()).toMatchObject({ posted: 2, loss: 0, quarantined: 0 });
    expect(await wallet.hold(key.request(1n, late))).toMatchObject({
      kind: 'insufficient',
      limit: { nodeId: key.keyId, leftNanos: 0n },
    });
    expect(heldBy(await wallet.hold(key.request(60n))).nanos).toBe(60n);
  });
});

describe('a change of caps', () => {
  it('applies to the next request: lowered below what is spent, raised, removed and set again', async () => {
    const key = await cappedKey({ totalNanos: 1_000n });
    const wallet = await wallets.start();
    await heldBy(await wallet.hold(key.request(500n))).capture(key.cost(400n));
    await until(() => wallets.settled());
    key.change({ totalNanos: 399n });
    expect(await wallet.hold(key.request(1n))).toMatchObject({
      kind: 'insufficient',
      limit: { nodeId: key.keyId, limitNanos: 399n, leftNanos: 0n },
    });
    key.change({ totalNanos: 450n });
    await heldBy(await wallet.hold(key.request(50n))).capture(key.cost(50n));
    const uncapped = heldBy(await wallet.hold(request(key.accountId, 900n)));
    await uncapped.capture(key.cost(900n));
    await until(() => wallets.settled());
    key.change({ totalNanos: 1_500n });
    expect(await wallet.hold(key.request(151n))).toMatchObject({
      kind: 'insufficient',
      limit: { nodeId: key.keyId, leftNanos: 150n },
    });
    expect(heldBy(await wallet.hold(key.request(150n))).nanos).toBe(150n);
  });

  it('allows what is granted for a window in just this one, at every ingress, and the cap in the next', async () => {
    const key = await cappedKey({ dayNanos: 100n });
    const [one, other] = [await wallets.start(WAITS_BRIEFLY), await wallets.start(WAITS_BRIEFLY)];
    await heldBy(await one.hold(key.request(100n))).capture(key.cost(100n));
    await until(() => wallets.settled());
    expect(await one.hold(key.request(1n))).toMatchObject({ kind: 'insufficient' });
    key.grant(150n);
    // The ledger knows the latest limit, so a request that still shows the one before changes nothing.
    await heldBy(await other.hold(key.request(30n))).capture(key.cost(30n));
    expect(await other.hold(key.request(21n))).toMatchObject({ kind: 'insufficient', limit: { limitNanos: 150n } });
    await heldBy(await one.hold(key.request(20n))).capture(key.cost(20n));
    await until(() => wallets.settled());
    const tomorrow = { startedAtMs: NOW + DAY_MS };
    expect(await one.hold(key.request(101n, tomorrow))).toMatchObject({
      kind: 'insufficient',
      limit: { limitNanos: 100n, leftNanos: 100n },
    });
    expect(heldBy(await one.hold(key.request(100n, tomorrow))).nanos).toBe(100n);
    expect(await other.hold(key.request(1n, tomorrow))).toMatchObject({ kind: 'busy' });
    // A request of the day before counts there, where what was granted is all spent.
    expect(await other.hold(key.request(1n))).toMatchObject({ kind: 'insufficient', limit: { limitNanos: 150n } });
  });

  it('of a session is what was granted, whatever lower limits its requests show', async () => {
    const accountId = await ledger.funded(1_000_000n);
    const nodeId = newId();
    const ofSession = (limitNanos: bigint, revision = SESSION_REVISION - limitNanos) => ({
      ...{ nodes: [], session: { nodeId, limitNanos, revision }, startedAtMs: NOW },
    });
    const wallet = await wallets.start(WAITS_BRIEFLY);
    const hold = (nanos: bigint, capped: ReturnType<typeof ofSession>) =>
      wallet.hold(request(accountId, nanos, { capped }));
    expect(await hold(101n, ofSession(100n))).toMatchObject({ kind: 'insufficient' });
    const granted = ofSession(150n, SESSION_REVISION + 1n);
    heldBy(await hold(120n, granted)).release();
    heldBy(await hold(120n, ofSession(100n))).release();
    heldBy(await hold(150n, ofSession(50n))).release();
    expect(await hold(151n, granted)).toMatchObject({ kind: 'insufficient', limit: { limitNanos: 150n } });
    // A later grant may be lower.
    expect(await hold(130n, ofSession(120n, SESSION_REVISION + 2n))).toMatchObject({ kind: 'insufficient' });
  });

  it('counts holds of requests that began under the old cap', async () => {
    const key = await cappedKey({ totalNanos: 1_000n });
    const wallet = await wallets.start(WAITS_BRIEFLY);
    const open = heldBy(await wallet.hold(key.request(600n)));
    key.change({ totalNanos: 500n });
    expect(await wallet.hold(key.request(100n))).toMatchObject({ kind: 'busy', limit: { window: 'total' } });
    await open.capture(key.cost(450n));
    await until(() => wallets.settled());
    expect(await wallet.hold(key.request(51n))).toMatchObject({
      kind: 'insufficient',
      limit: { nodeId: key.keyId, leftNanos: 50n },
    });
    expect(heldBy(await wallet.hold(key.request(50n))).nanos).toBe(50n);
  });
});

describe('200 concurrent requests of a key whose cap pays for ten', () => {
  it('get exactly ten holds over three ingresses, whose charges fill the cap to the nano; other keys continue', async () => {
    const key = await cappedKey({ dayNanos: 10_000n, monthNanos: 1_000_000n });
    const three = [await wallets.start(), await wallets.start(), await wallets.start()];
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, index) => decided(three[index % 3], () => key.request(1_000n))),
    );
    expect(results.filter((kind) => kind === 'held')).toHaveLength(10);
    expect(results.filter((kind) => kind === 'insufficient')).toHaveLength(190);
    await until(() => wallets.settled());
    for (const wallet of three) {
      expect(await wallet.hold(key.request(1n))).toMatchObject({
        kind: 'insufficient',
        limit: { window: 'day', leftNanos: 0n },
      });
      heldBy(await wallet.hold(request(key.accountId, 1_000n))).release();
      expect(wallet.stats()).toMatchObject({ loss: 0, quarantined: 0, waiting: 0, openHolds: 0 });
    }
    expect(await ledger.balance(key.accountId)).toMatchObject({ balanceNanos: 990_000n });

    /** Retries while the result is "busy", and spends the full hold. */
    async function decided(wallet: Wallet | undefined, createRequest: () => HoldRequest): Promise<HoldResult['kind']> {
      if (wallet === undefined) throw new Error('there are three');
      for (let attempt = 0; attempt < 50; attempt += 1) {
        const result = await wallet.hold(createRequest());
        if (result.kind === 'held') await result.hold.capture(key.cost(1_000n));
        if (result.kind !== 'busy') return result.kind;
      }
      return 'busy';
    }
  });

  it('use the cap up to less than one hold when each spends a tenth of its hold', async () => {
    const key = await cappedKey({ totalNanos: 10_000n });
    const both = [await wallets.start(), await wallets.start()];
    let charged = 0n;
    const client = async (wallet: Wallet) => {
      for (;;) {
        const result = await wallet.hold(key.request(1_000n));
        if (result.kind === 'insufficient') return result.limit.leftNanos;
        if (result.kind !== 'held') continue;
        await result.hold.capture(key.cost(100n));
        charged += 100n;
      }
    };
    const left = await Promise.all(both.flatMap((wallet) => Array.from({ length: 40 }, () => client(wallet))));
    expect(charged).toBe(9_100n);
    for (const each of left) expect(each).toBeLessThan(1_000n);
    await until(() => wallets.settled());
  });
});

describe('a session with caps', () => {
  it('continues with its credit after the stream broke, and is replaced when fenced', async () => {
    const key = await cappedKey({ totalNanos: 1_000n });
    const wallet = await wallets.start();
    const first = heldBy(await wallet.hold(key.request(400n)));
    await ledger.kill();
    await ledger.start();
    await connected(wallet);
    const second = heldBy(await wallet.hold(key.request(600n)));
    expect(second.sessionId).toBe(first.sessionId);
    await first.capture(key.cost(400n));
    second.release();
    await until(() => wallets.settled());
    await ledger.closeSession(first.sessionId);
    await until(() => wallet.stats().sessionId !== first.sessionId && wallet.ready());
    const third = heldBy(await wallet.hold(key.request(600n)));
    expect(third.sessionId).not.toBe(first.sessionId);
    await third.capture(key.cost(600n));
    await until(() => wallets.settled());
    expect(await wallet.hold(key.request(1n))).toMatchObject({
      kind: 'insufficient',
      limit: { nodeId: key.keyId, leftNanos: 0n },
    });
    expect(wallet.stats()).toMatchObject({ posted: 2, loss: 0 });
  });

  it('moves waiting requests to the next session, each under one session only', async () => {
    const key = await cappedKey({ dayNanos: 500n, totalNanos: 1_000n });
    const wallet = await wallets.start();
    const first = heldBy(await wallet.hold(key.request(500n)));
    const waiting = wallet.hold(key.request(300n));
    await ledger.closeSession(first.sessionId);
    const second = heldBy(await waiting);
    expect(second.sessionId).not.toBe(first.sessionId);
    await second.capture(key.cost(300n));
    first.release();
    await until(() => wallets.settled());
    expect(wallet.stats()).toMatchObject({ posted: 1, loss: 0, openHolds: 0, waiting: 0 });
  });

  it('that was replaced charges its holds under a cap that has changed, and returns none of its successor’s part', async () => {
    const key = await cappedKey({ totalNanos: 1_000n });
    const { client, changeDatabase } = clientWithDatabases();
    const wallet = await wallets.start({ ...WAITS_BRIEFLY, ledger: client });
    const first = heldBy(await wallet.hold(key.request(600n)));
    // From here on it takes nothing of the cap, and returns what becomes free.
    key.change({ totalNanos: 500n });
    expect(await wallet.hold(key.request(100n))).toMatchObject({ kind: 'busy', limit: { window: 'total' } });
    changeDatabase();
    await until(() => wallet.stats().sessionId !== first.sessionId && wallet.ready());
    key.change({ totalNanos: 900n });
    const second = heldBy(await wallet.hold(key.request(300n)));
    expect(second.sessionId).not.toBe(first.sessionId);
    await first.capture(key.cost(100n));
    await until(() => wallets.settled());
    const other = await wallets.start(WAITS_BRIEFLY);
    const rest = await heldInTime(other, key.request(500n));
    expect(await other.hold(key.request(1n))).toMatchObject({ kind: 'busy', limit: { window: 'total' } });
    await Promise.all([second.capture(key.cost(300n)), rest.capture(key.cost(500n))]);
    await until(() => wallets.settled());
    expect(await other.hold(key.request(1n))).toMatchObject({
      kind: 'insufficient',
      limit: { nodeId: key.keyId, limitNanos: 900n, leftNanos: 0n },
    });
    expect(wallet.stats()).toMatchObject({ posted: 2, loss: 0, quarantined: 0 });
    expect(await ledger.balance(key.accountId)).toMatchObject({ balanceNanos: 999_100n });
  });

  it('returns a part of a cap and of the balance that it did not know of, for another session', async () => {
    const key = await cappedKey({ totalNanos: 1_000n }, 1_000n);
    const wallet = await wallets.start();
    await ledger.grantUnanswered(wallet.stats().sessionId, key.accountId, {
      keyId: key.keyId,
      limitNanos: 1_000n,
      nanos: 400n,
    });
    await ledger.kill();
    await ledger.start();
    await connected(wallet);
    const other = await wallets.start();
    expect(heldBy(await other.hold(key.request(1_000n))).nanos).toBe(1_000n);
    expect(wallet.stats()).toMatchObject({ loss: 0, openHolds: 0, waiting: 0 });
  });

  it('drops a cap once it is idle, and continues from the right counters when it is used again', async () => {
    const key = await cappedKey({ totalNanos: 1_000n });
    const wallet = await wallets.start({ limits: { idleReturnMs: 20 } });
    await heldBy(await wallet.hold(key.request(100n))).capture(key.cost(70n));
    await until(() => wallets.settled());
    await until(() => wallet.stats().leases === 0 && wallet.stats().caps === 0);
    const other = await wallets.start();
    await heldBy(await other.hold(key.request(930n))).capture(key.cost(900n));
    await until(() => wallets.settled());
    expect(await wallet.hold(key.request(31n))).toMatchObject({
      kind: 'insufficient',
      limit: { nodeId: key.keyId, leftNanos: 30n },
    });
    expect(heldBy(await wallet.hold(key.request(30n))).nanos).toBe(30n);
  });
});

/** A client of the ledger that can be shown another database, as after a failover. */
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

/** Retries until credit held by the key's other requests is free. */
async function heldInTime(wallet: Wallet, request: HoldRequest): Promise<Hold> {
  let result = await wallet.hold(request);
  await until(async () => {
    if (result.kind === 'busy') result = await wallet.hold(request);
    return result.kind !== 'busy';
  });
  return heldBy(result);
}

/** A new id for a request that started at that time. */
function idOf(unixMs: number): string {
  const hex = unixMs.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${newId().slice(13)}`;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createWallet, heldBy, record, request, until } from '../../testing/credit/credit-fixture.ts';
import { type LedgerProcess, SESSION_TTL_MS } from '../../testing/credit/ledger-process.ts';
import { WAITS_BRIEFLY, Wallets } from '../../testing/credit/wallets.ts';

let wallets: Wallets;
let ledger: LedgerProcess;

beforeAll(async () => {
  wallets = await Wallets.create();
  ({ ledger } = wallets);
});
afterAll(() => ledger.drop());
afterEach(() => wallets.clear());

describe('200 concurrent requests on a balance for ten', () => {
  it('get exactly ten holds when each uses its full hold; the others are busy, then insufficient', async () => {
    const accountId = await ledger.funded(10_000n);
    const wallet = await wallets.start(WAITS_BRIEFLY);
    const results = await Promise.all(Array.from({ length: 200 }, () => wallet.hold(request(accountId, 1_000n))));
    const holds = results.flatMap((result) => (result.kind === 'held' ? [result.hold] : []));
    expect(holds).toHaveLength(10);
    expect(results.filter(({ kind }) => kind === 'busy')).toHaveLength(190);
    await Promise.all(holds.map((hold) => hold.capture(record(accountId, 1_000n))));
    expect(await wallet.hold(request(accountId, 1_000n))).toMatchObject({
      kind: 'insufficient',
      limit: { window: null, leftNanos: 0n },
    });
    await until(() => wallets.settled());
    expect(await ledger.balance(accountId)).toMatchObject({ balanceNanos: 0n });
    expect(await wallet.hold(request(accountId, 1_000n))).toMatchObject({
      kind: 'insufficient',
      limit: { window: null, leftNanos: 0n },
    });
    expect(wallet.stats()).toMatchObject({ posted: 10, loss: 0, quarantined: 0 });
  });

  it('never get more than ten holds over two ingresses', async () => {
    const accountId = await ledger.funded(10_000n);
    const both = [await wallets.start(WAITS_BRIEFLY), await wallets.start(WAITS_BRIEFLY)];
    const requests = both.flatMap((wallet) =>
      Array.from({ length: 100 }, () => wallet.hold(request(accountId, 1_000n))),
    );
    const results = await Promise.all(requests);
    expect(results.filter(({ kind }) => kind === 'held')).toHaveLength(10);
    expect(results.filter(({ kind }) => kind === 'busy')).toHaveLength(190);
  });

  it.each([1, 3])(
    'that use a tenth of it, with clients that retry at %i ingresses: until less than one hold is left',
    async (ingresses) => {
      const accountId = await ledger.funded(10_000n);
      const all = await Promise.all(
        Array.from({ length: ingresses }, () => wallets.start({ limits: { waitersPerAccount: 50 } })),
      );
      let served = 0;
      const client = async (index: number) => {
        const wallet = all[index % ingresses];
        if (wallet === undefined) throw new Error('no such wallet');
        for (;;) {
          const result = await wallet.hold(request(accountId, 1_000n));
          if (result.kind === 'insufficient') return;
          if (result.kind === 'busy') {
            await new Promise((resolve) => setTimeout(resolve, 5));
            continue;
          }
          await heldBy(result).capture(record(accountId, 100n));
          served += 1;
        }
      };
      await Promise.all(Array.from({ length: 200 }, (_, index) => client(index)));
      await until(() => wallets.settled());
      expect(served).toBe(91);
      expect(await ledger.balance(accountId)).toMatchObject({ balanceNanos: 900n });
    },
  );
});

describe('the ledger', () => {
  it('can be killed and restarted: leases last until the session expires, and every charge is posted once', async () => {
    const accountId = await ledger.funded(1_000_000_000n);
    const wallet = await wallets.start(WAITS_BRIEFLY);
    const requestIds = new Set<string>();
    let heldAt = 0;
    const chargeOne = async () => {
      const askedAt = performance.now();
      const result = await wallet.hold(request(accountId, 1_000n));
      if (result.kind !== 'held') return result;
      heldAt = askedAt;
      const charge = record(accountId, 10n);
      await result.hold.capture(charge);
      requestIds.add(charge.requestId);
      return undefined;
    };
    for (let count = 0; count < 100; count += 1) await chargeOne();
    await ledger.kill();
    const killedAt = performance.now();
    let refused = await chargeOne();
    expect(refused).toBeUndefined();
    while (refused === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      refused = await chargeOne();
    }
    expect(refused).toEqual({ kind: 'unavailable', reason: 'ledger' });
    expect(heldAt - killedAt).toBeLessThan(SESSION_TTL_MS);
    await ledger.start();
    await until(() => wallet.ready());
    for (let count = 0; count < 100; count += 1) expect(await chargeOne()).toBeUndefined();
    await until(() => wallets.settled());
    const posted = await ledger.charges(accountId);
    expect(new Set(posted.map(({ requestId }) => requestId))).toEqual(requestIds);
    expect(posted).toHaveLength(requestIds.size);
    const { balanceNanos } = await ledger.balance(accountId);
    expect(balanceNanos).toBe(1_000_000_000n - 10n * BigInt(requestIds.size));
    expect(wallet.stats()).toMatchObject({ loss: 0, quarantined: 0 });
  });

  it('can end the session: a new one begins, and the balance stays right', async () => {
    const accountId = await ledger.funded(1_000_000n);
    const wallet = await wallets.start();
    await heldBy(await wallet.hold(request(accountId, 1_000n))).capture(record(accountId, 10n));
    await until(() => wallets.settled());
    const before = wallet.stats().sessionId;
    await ledger.closeSession(before);
    await until(() => wallet.ready() && wallet.stats().sessionId !== before);
    await heldBy(await wallet.hold(request(accountId, 1_000n))).capture(record(accountId, 20n));
    await until(() => wallets.settled());
    expect(await ledger.balance(accountId)).toMatchObject({ balanceNanos: 999_970n });
  });
});

it('settles the journal of a killed ingress once, and frees its credit', async () => {
  const accountId = await ledger.funded(1_000_000_000n);
  const folder = await wallets.folder();
  const args = [
    fileURLToPath(new URL('../../testing/credit/charging-process.ts', import.meta.url)),
    ledger.address,
    folder,
  ];
  const written = new Set<string>();
  for (let kills = 0; kills < 2; kills += 1) {
    const before = written.size;
    const child = spawn(process.execPath, [...args, accountId], { stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface(child.stdout).on('line', (requestId) => written.add(requestId));
    await until(() => written.size > before + 100);
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  const wallet = createWallet(ledger.newClient(), folder);
  wallets.add(wallet);
  await wallet.start();
  // The total balance can be held only once both journals are settled and the killed sessions' leases freed.
  await until(async () => {
    const { balanceNanos } = await ledger.balance(accountId);
    const result = await wallet.hold(request(accountId, balanceNanos));
    if (result.kind === 'held') result.hold.release();
    return result.kind === 'held';
  });
  const posted = (await ledger.charges(accountId)).map(({ requestId }) => requestId);
  expect(new Set(posted).size).toBe(posted.length);
  expect([...written].filter((requestId) => !posted.includes(requestId))).toEqual([]);
  const left = 1_000_000_000n - 10n * BigInt(posted.length);
  expect(await ledger.balance(accountId)).toMatchObject({ balanceNanos: left });
  expect(wallet.stats()).toMatchObject({ loss: 0, quarantined: 0 });
});

it('waits for the journal folder while another process uses it', async () => {
  const accountId = await ledger.funded(1_000_000_000n);
  const folder = await wallets.folder();
  const args = [
    fileURLToPath(new URL('../../testing/credit/charging-process.ts', import.meta.url)),
    ledger.address,
    folder,
  ];
  const child = spawn(process.execPath, [...args, accountId], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(createInterface(child.stdout), 'line');
    const wallet = createWallet(ledger.newClient(), folder);
    wallets.add(wallet);
    await wallet.start();
    expect(wallet.ready()).toBe(false);
    expect(wallet.hold(request(accountId, 1_000n))).toEqual({ kind: 'unavailable', reason: 'journal' });
    child.kill('SIGKILL');
    await until(() => wallet.ready());
    heldBy(await wallet.hold(request(accountId, 1_000n))).release();
  } finally {
    child.kill('SIGKILL');
  }
});

it('returns idle credit, reports held credit, and frees everything when drained', async () => {
  const accountId = await ledger.funded(1_000_000n);
  const wallet = await wallets.start({ limits: { idleReturnMs: 50 } });
  const hold = heldBy(await wallet.hold(request(accountId, 1_000n)));
  await until(async () => (await ledger.balance(accountId)).heldNanos === 1_000n);
  await hold.capture(record(accountId, 400n));
  await until(async () => (await ledger.balance(accountId)).heldNanos === 0n && wallet.stats().leases === 0);
  const last = heldBy(await wallet.hold(request(accountId, 999_600n)));
  await last.capture(record(accountId, 600n));
  await wallet.drain(5_000);
  const other = await wallets.start();
  expect(heldBy(await other.hold(request(accountId, 999_000n))).nanos).toBe(999_000n);
});

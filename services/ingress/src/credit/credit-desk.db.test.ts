import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDesk, heldBy, record, request, until } from './testing/desk-fixture.ts';
import { Desks, WAITS_BRIEFLY } from './testing/desks.ts';
import { type LedgerProcess, SESSION_TTL_MS } from './testing/ledger-process.ts';

let desks: Desks;
let ledger: LedgerProcess;

beforeAll(async () => {
  desks = await Desks.create();
  ({ ledger } = desks);
});
afterAll(() => ledger.drop());
afterEach(() => desks.clear());

describe('200 requests at once on a balance for ten', () => {
  it('that use all of it: exactly ten, the others busy, then insufficient', async () => {
    const accountId = await ledger.funded(10_000n);
    const desk = await desks.start(WAITS_BRIEFLY);
    const results = await Promise.all(Array.from({ length: 200 }, () => desk.hold(request(accountId, 1_000n))));
    const holds = results.flatMap((result) => (result.kind === 'held' ? [result.hold] : []));
    expect(holds).toHaveLength(10);
    expect(results.filter(({ kind }) => kind === 'busy')).toHaveLength(190);
    await Promise.all(holds.map((hold) => hold.charge(record(accountId, 1_000n))));
    expect(await desk.hold(request(accountId, 1_000n))).toEqual({ kind: 'insufficient', balanceNanos: 0n });
    await until(() => desks.settled());
    expect(await ledger.balance(accountId)).toMatchObject({ balanceNanos: 0n });
    expect(await desk.hold(request(accountId, 1_000n))).toEqual({ kind: 'insufficient', balanceNanos: 0n });
    expect(desk.stats()).toMatchObject({ posted: 10, loss: 0, quarantined: 0 });
  });

  it('over two ingresses: never more than ten', async () => {
    const accountId = await ledger.funded(10_000n);
    const both = [await desks.start(WAITS_BRIEFLY), await desks.start(WAITS_BRIEFLY)];
    const asked = both.flatMap((desk) => Array.from({ length: 100 }, () => desk.hold(request(accountId, 1_000n))));
    const results = await Promise.all(asked);
    expect(results.filter(({ kind }) => kind === 'held')).toHaveLength(10);
    expect(results.filter(({ kind }) => kind === 'busy')).toHaveLength(190);
  });

  it.each([1, 3])(
    'that use a tenth of it, with clients that retry at %i ingresses: until less than one hold is left',
    async (ingresses) => {
      const accountId = await ledger.funded(10_000n);
      const all = await Promise.all(
        Array.from({ length: ingresses }, () => desks.start({ limits: { waitersPerAccount: 50 } })),
      );
      let served = 0;
      const client = async (index: number) => {
        const desk = all[index % ingresses];
        if (desk === undefined) throw new Error('there is no such desk');
        for (;;) {
          const result = await desk.hold(request(accountId, 1_000n));
          if (result.kind === 'insufficient') return;
          if (result.kind === 'busy') {
            await new Promise((resolve) => setTimeout(resolve, 5));
            continue;
          }
          await heldBy(result).charge(record(accountId, 100n));
          served += 1;
        }
      };
      await Promise.all(Array.from({ length: 200 }, (_, index) => client(index)));
      await until(() => desks.settled());
      expect(served).toBe(91);
      expect(await ledger.balance(accountId)).toMatchObject({ balanceNanos: 900n });
    },
  );
});

describe('the ledger', () => {
  it('killed and started again: leases carry on until the session’s limit, and every charge is posted once', async () => {
    const accountId = await ledger.funded(1_000_000_000n);
    const desk = await desks.start(WAITS_BRIEFLY);
    const requestIds = new Set<string>();
    let heldAt = 0;
    const chargeOne = async () => {
      const askedAt = performance.now();
      const result = await desk.hold(request(accountId, 1_000n));
      if (result.kind !== 'held') return result;
      heldAt = askedAt;
      const charge = record(accountId, 10n);
      await result.hold.charge(charge);
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
    await until(() => desk.ready());
    for (let count = 0; count < 100; count += 1) expect(await chargeOne()).toBeUndefined();
    await until(() => desks.settled());
    const posted = await ledger.charges(accountId);
    expect(new Set(posted.map(({ requestId }) => requestId))).toEqual(requestIds);
    expect(posted).toHaveLength(requestIds.size);
    const { balanceNanos } = await ledger.balance(accountId);
    expect(balanceNanos).toBe(1_000_000_000n - 10n * BigInt(requestIds.size));
    expect(desk.stats()).toMatchObject({ loss: 0, quarantined: 0 });
  });

  it('that ended the session: a new one begins, and the balance stays right', async () => {
    const accountId = await ledger.funded(1_000_000n);
    const desk = await desks.start();
    await heldBy(await desk.hold(request(accountId, 1_000n))).charge(record(accountId, 10n));
    await until(() => desks.settled());
    const before = desk.stats().sessionId;
    await ledger.closeSession(before);
    await until(() => desk.ready() && desk.stats().sessionId !== before);
    await heldBy(await desk.hold(request(accountId, 1_000n))).charge(record(accountId, 20n));
    await until(() => desks.settled());
    expect(await ledger.balance(accountId)).toMatchObject({ balanceNanos: 999_970n });
  });
});

it('settles what a killed ingress had written, once, and frees its credit', async () => {
  const accountId = await ledger.funded(1_000_000_000n);
  const folder = await desks.folder();
  const args = [fileURLToPath(new URL('testing/charging-process.ts', import.meta.url)), ledger.address, folder];
  const written = new Set<string>();
  for (let kills = 0; kills < 2; kills += 1) {
    const before = written.size;
    const child = spawn(process.execPath, [...args, accountId], { stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface(child.stdout).on('line', (requestId) => written.add(requestId));
    await until(() => written.size > before + 100);
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  const desk = createDesk(ledger.newClient(), folder);
  desks.add(desk);
  await desk.start();
  // The whole balance can be held only once both journals are settled and the killed sessions' leases freed.
  await until(async () => {
    const { balanceNanos } = await ledger.balance(accountId);
    const result = await desk.hold(request(accountId, balanceNanos));
    if (result.kind === 'held') result.hold.release();
    return result.kind === 'held';
  });
  const posted = (await ledger.charges(accountId)).map(({ requestId }) => requestId);
  expect(new Set(posted).size).toBe(posted.length);
  expect([...written].filter((requestId) => !posted.includes(requestId))).toEqual([]);
  const left = 1_000_000_000n - 10n * BigInt(posted.length);
  expect(await ledger.balance(accountId)).toMatchObject({ balanceNanos: left });
  expect(desk.stats()).toMatchObject({ loss: 0, quarantined: 0 });
});

it('waits for the folder of a journal while another process writes to it', async () => {
  const accountId = await ledger.funded(1_000_000_000n);
  const folder = await desks.folder();
  const args = [fileURLToPath(new URL('testing/charging-process.ts', import.meta.url)), ledger.address, folder];
  const child = spawn(process.execPath, [...args, accountId], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(createInterface(child.stdout), 'line');
    const desk = createDesk(ledger.newClient(), folder);
    desks.add(desk);
    await desk.start();
    expect(desk.ready()).toBe(false);
    expect(desk.hold(request(accountId, 1_000n))).toEqual({ kind: 'unavailable', reason: 'journal' });
    child.kill('SIGKILL');
    await until(() => desk.ready());
    heldBy(await desk.hold(request(accountId, 1_000n))).release();
  } finally {
    child.kill('SIGKILL');
  }
});

it('returns idle credit, tells what is held, and frees everything when it is drained', async () => {
  const accountId = await ledger.funded(1_000_000n);
  const desk = await desks.start({ limits: { idleReturnMs: 50 } });
  const hold = heldBy(await desk.hold(request(accountId, 1_000n)));
  await until(async () => (await ledger.balance(accountId)).heldNanos === 1_000n);
  await hold.charge(record(accountId, 400n));
  await until(async () => (await ledger.balance(accountId)).heldNanos === 0n && desk.stats().leases === 0);
  const whole = heldBy(await desk.hold(request(accountId, 999_600n)));
  await whole.charge(record(accountId, 600n));
  await desk.drain(5_000);
  const other = await desks.start();
  expect(heldBy(await other.hold(request(accountId, 999_000n))).nanos).toBe(999_000n);
});

import { rm, writeFile } from 'node:fs/promises';
import { newId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWallet, heldBy, record, request, temporaryFolder, until } from '../../testing/credit/credit-fixture.ts';
import { FakeLedger } from '../../testing/credit/fake-ledger.ts';

const BALANCE = 10_000n;

let ledger: FakeLedger;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let accountId: string;

beforeEach(async () => {
  ledger = new FakeLedger();
  await ledger.start();
  folder = await temporaryFolder();
  accountId = newId();
  ledger.deposit(accountId, BALANCE);
});

afterEach(async () => {
  ledger.stop();
  await folder.remove();
});

it('a drain ends open requests, and settles also one that takes most of its time to be captured', async () => {
  const wallet = createWallet(ledger.client(), folder.path);
  await wallet.start();
  const open = heldBy(await wallet.hold(request(accountId, 100n)));
  const graceMs = 2_000;
  // Loading the counter of tokens takes as long on a busy machine.
  await wallet.drain(graceMs, () => {
    setTimeout(() => void open.capture(record(accountId, 7n)), graceMs * 0.6);
  });
  expect(ledger.charges.size).toBe(1);
  expect(ledger.closedSessions).toEqual([open.sessionId]);
  expect(ledger.available.get(accountId)).toBe(BALANCE - 7n);
});

it('a drain ends nothing when no requests are open', async () => {
  const wallet = createWallet(ledger.client(), folder.path);
  await wallet.start();
  await heldBy(await wallet.hold(request(accountId, 100n))).capture(record(accountId, 7n));
  let ended = 0;
  await wallet.drain(8_000, () => {
    ended += 1;
  });
  expect(ended).toBe(0);
  expect(ledger.charges.size).toBe(1);
});

it('a drain settles charges again if the database is replaced by one without them before the session is closed', async () => {
  const wallet = createWallet(ledger.client(), folder.path);
  await wallet.start();
  await heldBy(await wallet.hold(request(accountId, 100n))).capture(record(accountId, 7n));
  await until(() => wallet.stats().unsettled === 0);
  const { sessionId } = wallet.stats();
  ledger.stop();
  const drained = wallet.drain(20_000);
  ledger.forgetCharges();
  ledger.databaseId = 'database-2';
  await ledger.start();
  await drained;
  expect(ledger.charges.size).toBe(1);
  expect(wallet.stats()).toMatchObject({ posted: 2, loss: 0, unsettled: 0 });
  expect(ledger.closedSessions).toEqual([sessionId]);
  expect(ledger.available.get(accountId)).toBe(BALANCE - 7n);
});

it('a drain that ends early reports how many charges are not in the journal either', async () => {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const wallet = createWallet(ledger.client(), folder.path, {
    logger: createLogger('test', 'error', { destination }),
  });
  await wallet.start();
  const holds = [1, 2].map(async () => heldBy(await wallet.hold(request(accountId, 100n))));
  const [first, second] = await Promise.all(holds);
  ledger.settlementsHeld = true;
  await first?.capture(record(accountId, 7n));
  // A folder at the path of the next segment makes its creation fail, for any user.
  await rm(folder.path, { recursive: true });
  await writeFile(folder.path, 'in the way');
  ledger.fence(wallet.stats().sessionId);
  await until(() => !wallet.ready());
  await second?.capture(record(accountId, 7n));
  expect(wallet.stats()).toMatchObject({ unsettled: 2, unwritten: 1 });
  await wallet.drain(0);
  const left = lines.find(({ msg }) => String(msg).startsWith('stopped before all charges were settled'));
  expect(left).toMatchObject({ unsettled: 2, unwritten: 1 });
});

it('a charge after the stop is logged as lost', async () => {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const wallet = createWallet(ledger.client(), folder.path, {
    logger: createLogger('test', 'error', { destination }),
  });
  await wallet.start();
  const open = heldBy(await wallet.hold(request(accountId, 100n)));
  await wallet.drain(0);
  const late = record(accountId, 7n);
  await open.capture(late);
  const lost = { level: 'error', request_id: late.requestId, msg: 'a charge came after the stop and is lost' };
  expect(lines).toContainEqual(expect.objectContaining(lost));
});

import { rm, writeFile } from 'node:fs/promises';
import { newId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../journal/clock.ts';
import { createDesk, heldBy, record, request, temporaryFolder, until } from './testing/desk-fixture.ts';
import { FakeLedger } from './testing/fake-ledger.ts';

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

it('a drain ends what is still open while there is time to settle it, and settles it', async () => {
  let passedMs = 0;
  const clock = { monotonicMs: () => performance.now() + passedMs, wallMs: systemClock.wallMs };
  const desk = createDesk(ledger.client(), folder.path, { clock });
  await desk.start();
  const open = heldBy(await desk.hold(request(accountId, 100n)));
  let ended: Promise<void> | undefined;
  const drained = desk.drain(80_000, () => {
    ended = open.charge(record(accountId, 7n));
  });
  expect(ended).toBeUndefined();
  passedMs = 61_000;
  await drained;
  expect(ended).toBeDefined();
  expect(ledger.charges.size).toBe(1);
  expect(ledger.closedSessions).toEqual([open.sessionId]);
  expect(ledger.available.get(accountId)).toBe(BALANCE - 7n);
});

it('a drain ends nothing where nothing is open', async () => {
  const desk = createDesk(ledger.client(), folder.path);
  await desk.start();
  await heldBy(await desk.hold(request(accountId, 100n))).charge(record(accountId, 7n));
  let ended = 0;
  await desk.drain(8_000, () => {
    ended += 1;
  });
  expect(ended).toBe(0);
  expect(ledger.charges.size).toBe(1);
});

it('a drain settles again what another database lacks that turns up before the session is closed', async () => {
  const desk = createDesk(ledger.client(), folder.path);
  await desk.start();
  await heldBy(await desk.hold(request(accountId, 100n))).charge(record(accountId, 7n));
  await until(() => desk.stats().unsettled === 0);
  const { sessionId } = desk.stats();
  ledger.stop();
  const drained = desk.drain(20_000);
  ledger.forgetCharges();
  ledger.databaseId = 'database-2';
  await ledger.start();
  await drained;
  expect(ledger.charges.size).toBe(1);
  expect(desk.stats()).toMatchObject({ posted: 2, loss: 0, unsettled: 0 });
  expect(ledger.closedSessions).toEqual([sessionId]);
  expect(ledger.available.get(accountId)).toBe(BALANCE - 7n);
});

it('a drain that ends early reports how many charges are in no journal either', async () => {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const desk = createDesk(ledger.client(), folder.path, { logger: createLogger('test', 'error', { destination }) });
  await desk.start();
  const holds = [1, 2].map(async () => heldBy(await desk.hold(request(accountId, 100n))));
  const [first, second] = await Promise.all(holds);
  ledger.settlementsHeld = true;
  await first?.charge(record(accountId, 7n));
  // A folder in the place of the next segment's makes its creation fail, whoever runs the test.
  await rm(folder.path, { recursive: true });
  await writeFile(folder.path, 'in the way');
  ledger.fence(desk.stats().sessionId);
  await until(() => !desk.ready());
  await second?.charge(record(accountId, 7n));
  expect(desk.stats()).toMatchObject({ unsettled: 2, unwritten: 1 });
  await desk.drain(0);
  const left = lines.find(({ msg }) => String(msg).startsWith('stopped before everything was settled'));
  expect(left).toMatchObject({ unsettled: 2, unwritten: 1 });
});

it('a charge that comes after the stop is logged as lost', async () => {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const desk = createDesk(ledger.client(), folder.path, { logger: createLogger('test', 'error', { destination }) });
  await desk.start();
  const open = heldBy(await desk.hold(request(accountId, 100n)));
  await desk.drain(0);
  const late = record(accountId, 7n);
  await open.charge(late);
  const lost = { level: 'error', request_id: late.requestId, msg: 'a charge came after the stop and is lost' };
  expect(lines).toContainEqual(expect.objectContaining(lost));
});

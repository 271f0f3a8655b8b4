import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWallet, temporaryFolder, until } from '../../../testing/credit/credit-fixture.ts';
import { writeEarlierJournal } from '../../../testing/credit/earlier-journal.ts';
import { FakeLedger } from '../../../testing/credit/fake-ledger.ts';
import { frameOf, SEGMENT_HEADER } from '../journal/frame.ts';
import type { Wallet } from '../wallet.ts';
import type { WalletOptions } from './types.ts';

const SEGMENTS = 5;
const PER_SEGMENT = 400;
const CHARGES = SEGMENTS * PER_SEGMENT;

let ledger: FakeLedger;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let wallet: Wallet | undefined;
let accountId: string;
let sessionId: string;

beforeEach(async () => {
  ledger = new FakeLedger();
  await ledger.start();
  folder = await temporaryFolder();
  accountId = newId();
  sessionId = newId();
});

afterEach(async () => {
  ledger.releaseSettlements();
  await wallet?.drain(0);
  ledger.stop();
  await folder.remove();
});

/** Creates a journal of five segments, paid for by the session's lease. Returns its requests, oldest first. */
function earlierJournal(chargesPerSegment = PER_SEGMENT): Promise<string[]> {
  ledger.deposit(accountId, 1_000_000n);
  ledger.grantTo(sessionId, accountId, 100_000n);
  return writeEarlierJournal({ folder: folder.path, accountId, sessionId, segments: SEGMENTS, chargesPerSegment });
}

async function startDesk(options: Partial<WalletOptions> = {}): Promise<Wallet> {
  wallet = createWallet(ledger.client(), folder.path, options);
  await wallet.start();
  return wallet;
}

describe('a stop during a replay', () => {
  it('settles every charge of the journal and closes its sessions in time', async () => {
    const requestIds = await earlierJournal();
    const stopping = await startDesk();
    await stopping.drain(30_000);
    expect(ledger.charges.size).toBe(requestIds.length);
    expect(ledger.closedSessions).toContain(sessionId);
    expect(ledger.balance(accountId)).toBe(1_000_000n - BigInt(CHARGES));
  });

  it('logs an error when charges are left after its time', async () => {
    await earlierJournal();
    ledger.settlementsHeld = true;
    const lines: Record<string, unknown>[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const stopping = await startDesk({ logger: createLogger('test', 'error', { destination }) });
    await until(() => ledger.batches.length > 0);
    await stopping.drain(50);
    const left = lines.find(({ msg }) => String(msg).startsWith('stopped before all charges were settled'));
    // One segment is read and being sent, the others are not read yet.
    expect(left).toMatchObject({ level: 'error', journalRecords: PER_SEGMENT, journalUnread: SEGMENTS - 1 });
  });
});

describe('a replay', () => {
  it('settles the newest charges first, whatever was settled before', async () => {
    const requestIds = await earlierJournal();
    const arrived: string[] = [];
    ledger.judge = (charge) => {
      arrived.push(charge.requestId);
      return undefined;
    };
    const replaying = await startDesk();
    await until(() => replaying.stats().journalUnread === 0 && replaying.stats().journalRecords === 0);
    expect(arrived.slice(0, 10)).toEqual(requestIds.toReversed().slice(0, 10));
    expect(arrived.at(-1)).toBe(requestIds[0]);
    expect(arrived).toHaveLength(CHARGES);
  });

  it('keeps a copy of a segment with a record that is not a charge, and settles the others', async () => {
    const requestIds = await earlierJournal(2);
    const odd = join(folder.path, `${newId()}-6.journal`);
    await writeFile(odd, Buffer.concat([SEGMENT_HEADER, frameOf(Buffer.alloc(20, 0xff))]));
    const replaying = await startDesk();
    await until(() => ledger.charges.size === requestIds.length && replaying.stats().journalRecords === 0);
    expect(await readFile(`${odd}.damaged`)).toEqual(await readFile(odd));
    expect(replaying.stats().journalDamaged).toBe(1);
  });

  it('continues with other segments past a charge that the ledger fails on, then waits for that one', async () => {
    const requestIds = await earlierJournal(2);
    const newest = requestIds.at(-1) ?? '';
    ledger.poison.add(newest);
    await startDesk();
    await until(() => ledger.charges.size === requestIds.length - 1);
    expect(ledger.closedSessions).toEqual([]);
    ledger.poison.clear();
    await until(() => ledger.closedSessions.includes(sessionId));
    expect(ledger.charges.has(newest)).toBe(true);
  });
});

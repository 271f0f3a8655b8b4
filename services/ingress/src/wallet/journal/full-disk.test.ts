import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@tollgate/common/clock';
import { newId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { frameOf } from './frame.ts';
import { Journal } from './journal.ts';
import { type CreateFile, createFile, type Segment } from './segment.ts';

const RECORD_BYTES = 2_000;
const FRAME = frameOf(Buffer.alloc(RECORD_BYTES - 8, 'x'));
/** Number of records that fit on the disk, in segments of 64. */
const CAPACITY = 300;
const PER_SEGMENT = 64;

let folder: string;
let journals: Journal[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-journal-'));
  journals = [];
});

afterEach(async () => {
  for (const journal of journals) await journal.close();
  await rm(folder, { recursive: true, force: true });
});

/** Files on a disk that is smaller than the journal's limit; like a real one, it writes a part of what does not fit. */
const createOnSmallDisk: CreateFile = async (path) => {
  const file = await createFile(path);
  return {
    ...file,
    writeSync: (bytes, offset, length, position) =>
      file.writeSync(bytes, offset, Math.min(length, requireFree()), position),
    write: async (bytes, offset, length, position) =>
      file.write(bytes, offset, Math.min(length, requireFree()), position),
  };
};

/** The free bytes of the disk. Throws if there are none. */
function requireFree(): number {
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  const free = sizes.reduce((left, size) => left - size, CAPACITY * RECORD_BYTES);
  if (free <= 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  return free;
}

async function openJournal(): Promise<Journal> {
  const journal = await Journal.open({
    folder,
    maxBytes: 8 * PER_SEGMENT * RECORD_BYTES,
    maxRecords: 1_000,
    keepMs: 900_000,
    logger: createLogger('test', 'silent'),
    clock: systemClock,
    createFile: createOnSmallDisk,
  });
  journals.push(journal);
  await journal.begin(newId());
  return journal;
}

function append(journal: Journal): Promise<Segment | undefined> {
  if (!journal.reserve()) throw new Error('no slot');
  return new Promise((resolve) => journal.append(FRAME, resolve));
}

it('a disk full of acknowledged segments makes room for new records at once', async () => {
  const journal = await openJournal();
  for (let count = 0; count < 3 * CAPACITY; count += 1) {
    const segment = await append(journal);
    expect(segment).toBeDefined();
    journal.acknowledge(segment);
  }
  expect(journal.healthy).toBe(true);
});

it('a disk full of one acknowledged segment makes room for new records at once', async () => {
  const journal = await openJournal();
  await open(join(folder, 'of-another-program'), 'wx').then(async (file) => {
    await file.write(Buffer.alloc((CAPACITY - PER_SEGMENT / 2) * RECORD_BYTES));
    await file.close();
  });
  for (let count = 0; count < 2 * PER_SEGMENT; count += 1) {
    const segment = await append(journal);
    expect(segment).toBeDefined();
    journal.acknowledge(segment);
  }
});

it('a disk full of unacknowledged records keeps them, and is written again once they are acknowledged', async () => {
  const journal = await openJournal();
  const written: Segment[] = [];
  for (let segment = await append(journal); segment !== undefined; segment = await append(journal)) {
    written.push(segment);
  }
  expect(written.length).toBeGreaterThan(CAPACITY - 2);
  journal.acknowledge(undefined);
  expect(journal.healthy).toBe(false);
  expect(journal.reserve()).toBe(false);
  for (const segment of new Set(written)) expect((await segment.read()).payloads.length).toBeGreaterThan(0);
  for (const segment of written) journal.acknowledge(segment);
  await expect.poll(() => journal.healthy).toBe(true);
  expect(await append(journal)).toBeDefined();
});

it('a disk that is full at start is written again once the records on it are acknowledged', async () => {
  const earlier = await openJournal();
  while ((await append(earlier)) !== undefined);
  journals = [];
  await earlier.close();
  const journal = await openJournal();
  expect(await append(journal)).toBeUndefined();
  expect(journal.healthy).toBe(false);
  for (const segment of journal.backlog()) {
    const payloads = (await journal.readBacklog(segment)) ?? [];
    for (let left = payloads.length; left > 0; left -= 1) journal.acknowledge(segment);
  }
  await expect.poll(() => journal.healthy).toBe(true);
  expect(await append(journal)).toBeDefined();
});

import { mkdir, mkdtemp, readdir, readFile, rm, unlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@tollgate/common/clock';
import { newId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MAX_COPIES } from './damaged-copies.ts';
import { frameOf, SEGMENT_HEADER } from './frame.ts';
import { Journal } from './journal.ts';

const TEXTS = ['first', 'second', 'third'];
const KEEP_MS = 1_000;

let folder: string;
let journal: Journal | undefined;
let nowMs: number;
let lines: Record<string, unknown>[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-journal-'));
  nowMs = 0;
  lines = [];
});

afterEach(async () => {
  await journal?.close();
  await rm(folder, { recursive: true, force: true });
});

async function openJournal(): Promise<Journal> {
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  journal = await Journal.open({
    folder,
    maxBytes: 1024 * 1024,
    maxRecords: 1_000,
    keepMs: KEEP_MS,
    logger: createLogger('test', 'warn', { destination }),
    clock: { monotonicMs: () => nowMs, wallMs: systemClock.wallMs },
  });
  return journal;
}

/** Creates a segment of an earlier run whose first record has a changed bit in its length. */
async function damagedSegment(): Promise<{ path: string; bytes: Buffer }> {
  const bytes = Buffer.concat([SEGMENT_HEADER, ...TEXTS.map((text) => frameOf(Buffer.from(text)))]);
  bytes[SEGMENT_HEADER.length + 1] = 0x10;
  const path = join(folder, `${newId()}-1.journal`);
  await writeFile(path, bytes);
  return { path, bytes };
}

/** Reads and acknowledges all records, like a replay. */
async function settleBacklog(from: Journal): Promise<string[]> {
  const texts: string[] = [];
  for (const segment of from.backlog()) {
    for (const payload of (await from.readBacklog(segment)) ?? []) {
      texts.push(Buffer.from(payload).toString());
      from.acknowledge(segment);
    }
  }
  return texts;
}

async function copies(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.damaged'));
}

it('damage is logged as an error, and a copy of the file is kept', async () => {
  const { path, bytes } = await damagedSegment();
  const reading = await openJournal();
  expect(await settleBacklog(reading)).toEqual(TEXTS);
  expect(lines).toContainEqual(expect.objectContaining({ level: 'error', path, damaged: 1, copy: `${path}.damaged` }));
  expect(reading.stats().damagedCopies).toBe(1);
  nowMs = KEEP_MS;
  reading.sweep();
  await expect.poll(() => readFile(path).catch(() => undefined)).toBeUndefined();
  expect(await readFile(`${path}.damaged`)).toEqual(bytes);
});

it('the oldest copy is removed when there are too many', async () => {
  const earlier: string[] = [];
  for (let count = 0; count < MAX_COPIES; count += 1) {
    const path = join(folder, `${newId()}-1.journal.damaged`);
    await writeFile(path, 'earlier');
    await utimes(path, count + 1, count + 1);
    earlier.push(path);
  }
  const { path } = await damagedSegment();
  await settleBacklog(await openJournal());
  const left = (await copies()).map((name) => join(folder, name));
  expect(left.toSorted()).toEqual([...earlier.slice(1), `${path}.damaged`].toSorted());
});

it('copies that an operator removes are no longer counted after a while', async () => {
  const { path } = await damagedSegment();
  const reading = await openJournal();
  await settleBacklog(reading);
  expect(reading.stats().damagedCopies).toBe(1);
  await unlink(`${path}.damaged`);
  nowMs = 60_000;
  reading.sweep();
  await expect.poll(() => reading.stats().damagedCopies).toBe(0);
});

it('records are read even if no copy can be kept', async () => {
  const { path } = await damagedSegment();
  // A folder takes the place of the oldest copy, which cannot be removed like a file.
  for (let count = 0; count <= MAX_COPIES; count += 1) await mkdir(join(folder, `${count}.damaged`));
  expect(await settleBacklog(await openJournal())).toEqual(TEXTS);
  expect(lines).toContainEqual(expect.objectContaining({ level: 'error', path, damaged: 1 }));
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'a damaged journal segment cannot be copied' }));
});

it('an interrupted write is not damage', async () => {
  const { path, bytes } = await damagedSegment();
  bytes[SEGMENT_HEADER.length + 1] = 0;
  await writeFile(path, bytes.subarray(0, -1));
  expect(await settleBacklog(await openJournal())).toEqual(TEXTS.slice(0, -1));
  expect(await copies()).toEqual([]);
  expect(lines.map(({ level }) => level)).toEqual(['warn']);
});

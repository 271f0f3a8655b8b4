import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@tollgate/common/clock';
import { newId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { frameOf } from './frame.ts';
import { Journal } from './journal.ts';
import { type CreateFile, createFile } from './segment.ts';

let folder: string;
let journal: Journal;
let nowMs: number;
/** How long the event loop waits for a write. */
let writeMs: number;
/** Where each write was made. */
let writes: string[];

const createOnDisk: CreateFile = async (path) => {
  const file = await createFile(path);
  return {
    ...file,
    writeSync: (bytes, offset, length, position) => {
      writes.push('event loop');
      nowMs += writeMs;
      return file.writeSync(bytes, offset, length, position);
    },
    write: (bytes, offset, length, position) => {
      writes.push('background');
      return file.write(bytes, offset, length, position);
    },
  };
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-journal-'));
  nowMs = 0;
  writeMs = 0;
  writes = [];
  journal = await Journal.open({
    folder,
    maxBytes: 1024 * 1024,
    maxRecords: 1_000,
    keepMs: 900_000,
    logger: createLogger('test', 'silent'),
    clock: { monotonicMs: () => nowMs, wallMs: systemClock.wallMs },
    createFile: createOnDisk,
  });
  await journal.begin(newId());
  writes = [];
});

afterEach(async () => {
  await journal.close();
  await rm(folder, { recursive: true, force: true });
});

async function append(text: string): Promise<void> {
  if (!journal.reserve()) throw new Error('no slot');
  await new Promise((written) => journal.append(frameOf(Buffer.from(text)), written));
}

it('a slow disk stops the event loop once, and is tried again after a second', async () => {
  await append('quick');
  writeMs = 20;
  await append('slow');
  await append('in the background');
  nowMs += 999;
  await append('still in the background');
  expect(writes).toEqual(['event loop', 'event loop', 'background', 'background']);
  nowMs += 1;
  await append('tried again');
  expect(writes.slice(4)).toEqual(['event loop']);
});

it('records of both kinds of writes are kept in order', async () => {
  const texts = Array.from({ length: 8 }, (_, index) => `record ${index}`);
  for (const [index, text] of texts.entries()) {
    writeMs = index % 3 === 0 ? 20 : 0;
    nowMs += 600;
    await append(text);
  }
  expect(new Set(writes)).toEqual(new Set(['event loop', 'background']));
  await journal.replayKept();
  const [segment = expect.fail('no segment')] = journal.backlog();
  expect((await journal.readBacklog(segment))?.map((payload) => Buffer.from(payload).toString())).toEqual(texts);
});

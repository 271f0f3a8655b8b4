import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@tollgate/common/clock';
import { newId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SEGMENT_HEADER } from './frame.ts';
import { Journal } from './journal.ts';

let parent: string;
let journal: Journal | undefined;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'tollgate-journal-'));
});
afterEach(async () => {
  await journal?.close();
  await rm(parent, { recursive: true });
});

async function openJournal(folder: string): Promise<void> {
  const limits = { maxBytes: 1024 * 1024, maxRecords: 1_000, keepMs: 1_000 };
  journal = await Journal.open({ folder, ...limits, logger: createLogger('test', 'silent'), clock: systemClock });
  await journal.begin(newId());
}

/** The modes of a folder and its files. */
async function modesOf(folder: string): Promise<number[]> {
  const paths = [folder, ...(await readdir(folder)).map((name) => join(folder, name))];
  return Promise.all(paths.map(async (path) => (await stat(path)).mode & 0o777));
}

it('keeps the journal in a folder and files that only its user can read', async () => {
  const folder = join(parent, 'journal', 'ingress');
  await openJournal(folder);
  expect((await stat(join(parent, 'journal'))).mode & 0o777).toBe(0o700);
  expect(await modesOf(folder)).toEqual([0o700, 0o600, 0o600]);
});

it('removes the access of other users to the journal of an earlier run', async () => {
  const folder = join(parent, 'journal');
  await mkdir(folder);
  await chmod(folder, 0o755);
  const earlier = join(folder, `${newId()}-1.journal`);
  for (const path of [earlier, `${earlier}.damaged`]) {
    await writeFile(path, SEGMENT_HEADER);
    await chmod(path, 0o644);
  }
  await openJournal(folder);
  expect(await modesOf(folder)).toEqual([0o700, 0o600, 0o600, 0o600, 0o600]);
});

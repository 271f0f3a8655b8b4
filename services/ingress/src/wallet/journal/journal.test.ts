import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@tollgate/common/clock';
import { newId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderLockedError } from './folder-lock.ts';
import { frameOf } from './frame.ts';
import { Journal, type JournalOptions, SLOT_BYTES } from './journal.ts';
import type { Segment } from './segment.ts';

let folder: string;
let open: Journal[];
let nowMs: number;
const clock = { monotonicMs: () => nowMs, wallMs: systemClock.wallMs };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-journal-'));
  open = [];
  nowMs = 0;
});

afterEach(async () => {
  for (const journal of open) await journal.close();
  await rm(folder, { recursive: true, force: true });
});

async function openJournal(options: Partial<JournalOptions> = {}): Promise<Journal> {
  const logger = createLogger('test', 'silent');
  const limits = { maxBytes: 1024 * 1024, maxRecords: 1_000, keepMs: 1_000 };
  const journal = await Journal.open({ folder, ...limits, logger, clock, ...options });
  open.push(journal);
  return journal;
}

/** Ends a journal like a killed process, except that its lock is released. */
async function close(journal: Journal): Promise<void> {
  open.splice(open.indexOf(journal), 1);
  await journal.close();
}

function append(journal: Journal, text: string): Promise<Segment | undefined> {
  if (!journal.reserve()) throw new Error('no slot');
  return new Promise((resolve) => journal.append(frameOf(Buffer.from(text)), resolve));
}

async function replayed(journal: Journal): Promise<string[]> {
  const texts: string[] = [];
  for (const segment of journal.backlog()) {
    const payloads = (await journal.readBacklog(segment)) ?? [];
    texts.push(...payloads.map((payload) => Buffer.from(payload).toString()));
  }
  return texts;
}

async function segmentFiles(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.journal'));
}

describe('a journal', () => {
  it('returns records to a later run in the order they were written', async () => {
    const journal = await openJournal();
    await journal.begin(newId());
    const texts = Array.from({ length: 300 }, (_, index) => `record ${index}`);
    await Promise.all(texts.map((text) => append(journal, text)));
    await close(journal);
    const later = await openJournal();
    expect(await replayed(later)).toEqual(texts);
    expect(later.stats().records).toBe(300);
  });

  it('names the session to a later run even if nothing was written', async () => {
    const sessionId = newId();
    const journal = await openJournal();
    await journal.begin(sessionId);
    await close(journal);
    const later = await openJournal();
    expect(later.backlog().map((segment) => segment.sessionId)).toEqual([sessionId]);
  });

  it('tolerates an incomplete last record', async () => {
    const journal = await openJournal();
    await journal.begin(newId());
    const segment = await append(journal, 'intact');
    await append(journal, 'torn');
    await close(journal);
    await truncate(segment?.path ?? '', (segment?.bytes ?? 0) - 1);
    expect(await replayed(await openJournal())).toEqual(['intact']);
  });

  it('keeps a copy of a damaged file', async () => {
    const journal = await openJournal();
    await journal.begin(newId());
    const segment = await append(journal, 'damaged');
    await append(journal, 'sound');
    await close(journal);
    const path = segment?.path ?? '';
    const bytes = await readFile(path);
    bytes[bytes.indexOf('damaged')] = 0;
    await writeFile(path, bytes);
    expect(await replayed(await openJournal())).toEqual(['sound']);
    expect(await readFile(`${path}.damaged`)).toEqual(bytes);
  });

  it('reports the bytes and records that wait for the ledger, without those that are only kept', async () => {
    const journal = await openJournal({ maxBytes: 80 * 1024, maxRecords: 100 });
    await journal.begin(newId());
    expect(journal.stats().filled).toBeLessThan(0.01);
    const small = await Promise.all(Array.from({ length: 50 }, () => append(journal, 'x')));
    expect(journal.stats().filled).toBe(0.5);
    for (const segment of small) journal.acknowledge(segment);
    const large = await Promise.all(Array.from({ length: 20 }, () => append(journal, 'x'.repeat(2_000))));
    expect(journal.stats().filled).toBeGreaterThan(0.45);
    for (const segment of large) journal.acknowledge(segment);
    await journal.begin(newId());
    expect(journal.stats().filled).toBeLessThan(0.01);
    expect(journal.stats().bytes).toBeGreaterThan(40_000);
  });

  it('begins a new file when one is full, and removes that some time after it is fully acknowledged', async () => {
    const journal = await openJournal({ maxBytes: 80 * 1024 });
    await journal.begin(newId());
    const segments: (Segment | undefined)[] = [];
    for (let count = 0; count < 60; count += 1) segments.push(await append(journal, 'x'.repeat(500)));
    const files = await segmentFiles();
    expect(files.length).toBeGreaterThan(2);
    for (const segment of segments) journal.acknowledge(segment);
    nowMs = 999;
    journal.sweep();
    expect(await segmentFiles()).toHaveLength(files.length);
    nowMs = 1_000;
    journal.sweep();
    await close(journal);
    expect((await segmentFiles()).length).toBeLessThanOrEqual(1);
  });

  it('does not remove a file with an unacknowledged record', async () => {
    const journal = await openJournal();
    await journal.begin(newId());
    const first = await append(journal, 'one');
    await append(journal, 'two');
    journal.acknowledge(first);
    await journal.begin(newId());
    nowMs = 1_000_000;
    journal.sweep();
    await close(journal);
    expect(await replayed(await openJournal())).toEqual(['one', 'two']);
  });

  it('puts all kept segments back into the backlog, acknowledged ones too', async () => {
    const journal = await openJournal();
    await journal.begin(newId());
    journal.acknowledge(await append(journal, 'one'));
    await journal.begin(newId());
    await append(journal, 'two');
    await journal.replayKept();
    expect(await replayed(journal)).toEqual(['one', 'two']);
  });

  it('continues to write after kept segments were put back', async () => {
    const journal = await openJournal();
    await journal.begin(newId());
    await append(journal, 'one');
    await journal.replayKept();
    await append(journal, 'two');
    await close(journal);
    expect(await replayed(await openJournal())).toEqual(['one', 'two']);
  });
});

describe('slots', () => {
  it('are limited in number together with unacknowledged records', async () => {
    const journal = await openJournal({ maxRecords: 3 });
    await journal.begin(newId());
    const segment = await append(journal, 'one');
    expect([journal.reserve(), journal.reserve(), journal.reserve()]).toEqual([true, true, false]);
    journal.release();
    expect(journal.reserve()).toBe(true);
    journal.acknowledge(segment);
    expect(journal.reserve()).toBe(true);
    expect(journal.reserve()).toBe(false);
  });

  it('are limited in bytes, and every reserved one can be used', async () => {
    const maxBytes = 16 * SLOT_BYTES;
    const journal = await openJournal({ maxBytes });
    await journal.begin(newId());
    let reserved = 0;
    while (journal.reserve()) reserved += 1;
    expect(reserved).toBe(15);
    const frame = frameOf(Buffer.alloc(SLOT_BYTES - 64, 1));
    const written = Array.from({ length: reserved }, () => {
      return new Promise<Segment | undefined>((resolve) => journal.append(frame, resolve));
    });
    expect(await Promise.all(written)).not.toContain(undefined);
    expect(journal.stats().bytes).toBeLessThanOrEqual(maxBytes);
  });

  it('displace acknowledged files that are only kept', async () => {
    const maxBytes = 32 * SLOT_BYTES;
    const journal = await openJournal({ maxBytes });
    await journal.begin(newId());
    for (let count = 0; count < 200; count += 1) {
      journal.acknowledge(await append(journal, 'x'.repeat(SLOT_BYTES - 200)));
      expect(journal.stats().bytes).toBeLessThanOrEqual(maxBytes);
    }
  });
});

describe('a journal that cannot be written', () => {
  it('reports so, reserves no slots, and recovers', async () => {
    const journal = await openJournal();
    await journal.begin(newId());
    expect(journal.healthy).toBe(true);
    // A folder at the path of the next file makes its creation fail, for any user.
    await rm(folder, { recursive: true });
    await writeFile(folder, 'in the way');
    const begun = journal.begin(newId());
    const reserved = journal.reserve();
    await begun;
    expect(journal.healthy).toBe(false);
    expect(journal.reserve()).toBe(false);
    expect(reserved).toBe(true);
    const written = await new Promise<Segment | undefined>((resolve) =>
      journal.append(frameOf(Buffer.from('x')), resolve),
    );
    expect(written).toBeUndefined();
    journal.acknowledge(written);
    expect(journal.stats()).toMatchObject({ records: 0, reserved: 0 });
    await rm(folder);
    await mkdir(folder);
    while (!journal.healthy) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await append(journal, 'again')).toBeDefined();
  });
});

describe('the folder', () => {
  it('is used by one process at a time', async () => {
    const journal = await openJournal();
    await expect(openJournal()).rejects.toThrow(FolderLockedError);
    await close(journal);
    await openJournal();
  });

  it('is taken over from a dead process, even if its pid was reused', async () => {
    const lock = join(folder, 'lock');
    await writeFile(lock, JSON.stringify({ pid: 2 ** 22 - 1, started: '1', host: hostname() }));
    await close(await openJournal());
    await writeFile(lock, JSON.stringify({ pid: process.pid, started: '1', host: hostname() }));
    await openJournal();
  });

  it('is taken over from a process that has ended, even before its parent has waited for it', async () => {
    // The second `sleep` replaces the shell and never waits for the first one.
    const parent = spawn('sh', ['-c', 'sleep 300 & echo $!; exec sleep 300'], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [printed]: Buffer[] = await once(parent.stdout, 'data');
      const pid = Number(printed);
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
      const owner = { pid, started: stat.split(' ')[21], host: hostname() };
      await writeFile(join(folder, 'lock'), JSON.stringify(owner));
      await expect(openJournal()).rejects.toThrow(FolderLockedError);
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => readFile(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
      await openJournal();
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('is taken over from another host only after its lock was untouched for long', async () => {
    const lock = join(folder, 'lock');
    await writeFile(lock, JSON.stringify({ pid: 1, started: '1', host: 'another-host' }));
    await expect(openJournal()).rejects.toThrow(FolderLockedError);
    const past = new Date(Date.now() - 60_000);
    await utimes(lock, past, past);
    await openJournal();
  });

  it('is left to a process that has taken it over', async () => {
    const journal = await openJournal();
    const lock = join(folder, 'lock');
    const text = JSON.stringify({ pid: 1, started: '1', host: 'another-host' });
    await writeFile(lock, text);
    await close(journal);
    expect(await readFile(lock, 'utf8')).toBe(text);
  });

  it('is not locked while a lock is being written', async () => {
    await writeFile(join(folder, 'lock'), '');
    await expect(openJournal()).rejects.toThrow(FolderLockedError);
  });
});

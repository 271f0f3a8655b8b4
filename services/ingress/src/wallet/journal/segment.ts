import { writeSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@tollgate/common/clock';
import { readSegment, SEGMENT_HEADER, type SegmentContents } from './frame.ts';

const NAME = /^([0-9a-f-]{36})-(\d+)\.journal$/;

/** One file of the journal, and how much of it the ledger still has to acknowledge. */
export class Segment {
  readonly path: string;
  /** The session that was current when the file was begun; each record names its own. */
  readonly sessionId: string;
  /** Whether an earlier process wrote it. */
  readonly fromEarlierRun: boolean;
  /** Size of the file. */
  bytes: number;
  /** Records written or read again that are not acknowledged. */
  unacknowledged = 0;
  /** No more records are written to it. */
  sealed: boolean;
  /** Its records must still be read and settled. */
  awaitsReplay: boolean;
  /** Monotonic time at which it was fully settled. */
  settledAtMs: number | undefined;

  constructor(path: string, sessionId: string, bytes: number, fromEarlierRun: boolean) {
    this.path = path;
    this.sessionId = sessionId;
    this.bytes = bytes;
    this.fromEarlierRun = fromEarlierRun;
    this.sealed = fromEarlierRun;
    this.awaitsReplay = fromEarlierRun;
  }

  get settled(): boolean {
    return this.sealed && !this.awaitsReplay && this.unacknowledged === 0;
  }

  async read(): Promise<SegmentContents> {
    return readSegment(await readFile(this.path));
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}

/** The session and number in a segment's file name; undefined for other files. */
export function parseSegmentName(name: string): { sessionId: string; number: number } | undefined {
  const match = NAME.exec(name);
  if (match === null) return undefined;
  const [, sessionId = '', number = ''] = match;
  return { sessionId, number: Number(number) };
}

/** The file name of a session's segment. */
export function segmentName(sessionId: string, number: number): string {
  return `${sessionId}-${number}.journal`;
}

/** What writing a segment needs of a file. */
export interface WritableFile {
  /** Writes on the event loop. Returns the number of bytes written. */
  writeSync(bytes: Uint8Array, offset: number, length: number, position: number): number;
  /** Writes in the background. */
  write(bytes: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesWritten: number }>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** Creates a file that only this user can read; fails if it exists. */
export type CreateFile = (path: string) => Promise<WritableFile>;

/** Creates a file of the real disk. */
export const createFile: CreateFile = async (path) => {
  const file = await open(path, 'wx', 0o600);
  return {
    writeSync: (bytes, offset, length, position) => writeSync(file.fd, bytes, offset, length, position),
    write: (bytes, offset, length, position) => file.write(bytes, offset, length, position),
    truncate: (length) => file.truncate(length),
    close: () => file.close(),
  };
};

/** Disk space that a new segment needs: a full disk often still accepts a few bytes. */
const PROBE_BYTES = 64 * 1024;

/** Fails unless the disk has free space, tested by a file that is removed again. */
export async function requireRoom(folder: string, create: CreateFile = createFile): Promise<void> {
  const path = join(folder, 'probe');
  await rm(path, { force: true });
  const file = await create(path);
  try {
    await writeAll(file, Buffer.alloc(PROBE_BYTES), 0);
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

/** A write that stops the event loop for this long is one of a slow disk. */
const SLOW_WRITE_MS = 20;

/** How long the writes after a slow one are made in the background. */
const BACKGROUND_MS = 1_000;

/**
 * An open segment that records are appended to, on the event loop: a write into the system's cache takes microseconds, and
 * to hand it to another thread would cost several times as much. While the disk is slow, another thread writes.
 */
export class SegmentWriter {
  readonly segment: Segment;
  readonly openedAtMs: number;
  readonly #file: WritableFile;
  readonly #clock: Clock;
  #backgroundUntilMs = 0;

  private constructor(segment: Segment, file: WritableFile, clock: Clock) {
    this.segment = segment;
    this.#file = file;
    this.#clock = clock;
    this.openedAtMs = clock.monotonicMs();
  }

  static async create(
    path: string,
    sessionId: string,
    clock: Clock,
    create: CreateFile = createFile,
  ): Promise<SegmentWriter> {
    const file = await create(path);
    try {
      await writeAll(file, SEGMENT_HEADER, 0);
      return new SegmentWriter(new Segment(path, sessionId, SEGMENT_HEADER.length, false), file, clock);
    } catch (error) {
      await file.close();
      await rm(path, { force: true });
      throw error;
    }
  }

  get holdsRecords(): boolean {
    return this.segment.bytes > SEGMENT_HEADER.length;
  }

  /** Appends bytes with one write call. After an error the file is truncated to its previous end, if possible. */
  async append(bytes: Uint8Array): Promise<void> {
    try {
      const written = this.#writeNow(bytes);
      if (written < bytes.length) await writeAll(this.#file, bytes.subarray(written), this.segment.bytes + written);
    } catch (error) {
      await this.#file.truncate(this.segment.bytes).catch(() => undefined);
      throw error;
    }
    this.segment.bytes += bytes.length;
  }

  /** Writes on the event loop, unless the disk is slow. Returns the number of bytes written. */
  #writeNow(bytes: Uint8Array): number {
    const startedAtMs = this.#clock.monotonicMs();
    if (startedAtMs < this.#backgroundUntilMs) return 0;
    const written = this.#file.writeSync(bytes, 0, bytes.length, this.segment.bytes);
    const endedAtMs = this.#clock.monotonicMs();
    if (endedAtMs - startedAtMs >= SLOW_WRITE_MS) this.#backgroundUntilMs = endedAtMs + BACKGROUND_MS;
    return written;
  }

  async close(): Promise<void> {
    this.segment.sealed = true;
    await this.#file.close();
  }
}

async function writeAll(file: WritableFile, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const result = await file.write(bytes, written, bytes.length - written, position + written);
    if (result.bytesWritten === 0) throw new Error('no bytes could be written');
    written += result.bytesWritten;
  }
}

import { copyFile, type FileHandle, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readSegment, SEGMENT_HEADER, type SegmentContents } from './frame.ts';

const NAME = /^([0-9a-f-]{36})-(\d+)\.journal$/;

/** One file of the journal, and how much of it the ledger still has to acknowledge. */
export class Segment {
  readonly path: string;
  /** The session that was the current one when the file was begun; its records name their own. */
  readonly sessionId: string;
  /** Whether an earlier process wrote it. */
  readonly fromEarlierRun: boolean;
  /** Size of the file. */
  bytes: number;
  /** Records written or read again, and not acknowledged. */
  unacknowledged = 0;
  /** Nothing more is written to it. */
  sealed: boolean;
  /** Its records are still to be read and settled. */
  awaitsReplay: boolean;
  /** Monotonic time at which nothing of it was left to settle. */
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

  /** Keeps a copy that no later run touches. */
  async setAside(): Promise<void> {
    await copyFile(this.path, `${this.path}.damaged`);
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

/** Room that a new segment must find on the disk: a full disk often still takes a few bytes. */
const PROBE_BYTES = 64 * 1024;

/** An open segment that records are appended to. */
export class SegmentWriter {
  readonly segment: Segment;
  readonly openedAtMs: number;
  readonly #file: FileHandle;

  private constructor(segment: Segment, file: FileHandle, openedAtMs: number) {
    this.segment = segment;
    this.#file = file;
    this.openedAtMs = openedAtMs;
  }

  /** Creates the file. With `probe`, fails unless the disk has room to spare. */
  static async create(folder: string, sessionId: string, number: number, nowMs: number, probe: boolean) {
    const path = join(folder, `${sessionId}-${number}.journal`);
    const file = await open(path, 'wx', 0o600);
    try {
      if (probe) {
        await writeAll(file, Buffer.alloc(PROBE_BYTES), 0);
        await file.truncate(0);
      }
      await writeAll(file, SEGMENT_HEADER, 0);
      return new SegmentWriter(new Segment(path, sessionId, SEGMENT_HEADER.length, false), file, nowMs);
    } catch (error) {
      await file.close();
      await rm(path, { force: true });
      throw error;
    }
  }

  get holdsRecords(): boolean {
    return this.segment.bytes > SEGMENT_HEADER.length;
  }

  /** Appends bytes with one write call. After an error the file ends where it ended before, as far as that is possible. */
  async append(bytes: Uint8Array): Promise<void> {
    try {
      await writeAll(this.#file, bytes, this.segment.bytes);
    } catch (error) {
      await this.#file.truncate(this.segment.bytes).catch(() => undefined);
      throw error;
    }
    this.segment.bytes += bytes.length;
  }

  async close(): Promise<void> {
    this.segment.sealed = true;
    await this.#file.close();
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const result = await file.write(bytes, written, bytes.length - written, position + written);
    if (result.bytesWritten === 0) throw new Error('the disk took no bytes');
    written += result.bytesWritten;
  }
}

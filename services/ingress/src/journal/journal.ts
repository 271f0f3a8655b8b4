import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import { makePrivateFolder } from '@tollgate/common/private-folder';
import type { Clock } from './clock.ts';
import { DamagedCopies } from './damaged-copies.ts';
import { type FolderLock, lockFolder } from './folder-lock.ts';
import { type CreateFile, parseSegmentName, requireRoom, Segment, SegmentWriter, segmentName } from './segment.ts';
import { Segments } from './segments.ts';

/** What a slot reserves on disk. A usual record takes a quarter; a longer one is written all the same. */
export const SLOT_BYTES = 2_048;

/** How often a journal that failed tries to write again. */
const RECOVERY_INTERVAL_MS = 1_000;

/** How often it is looked whether an operator has removed copies of damaged segments. */
const RECOUNT_INTERVAL_MS = 60_000;

const LARGEST_SEGMENT_BYTES = 8 * 1024 * 1024;

export interface JournalOptions {
  folder: string;
  /** All files and reserved slots together take at most this. */
  maxBytes: number;
  /** Unacknowledged records and reserved slots together are at most this many. */
  maxRecords: number;
  /** How long acknowledged segments are kept, to be settled again after a failover of the database. */
  keepMs: number;
  logger: Logger;
  clock: Clock;
  /** Creates the files that are written; other than `createFile` in tests of a full disk alone. */
  createFile?: CreateFile;
}

export interface JournalStats {
  /** Records in memory that are not acknowledged. */
  records: number;
  /** Segments whose records are still to be read and settled; those records are not counted yet. */
  unread: number;
  /** Copies of damaged segments in the folder, of earlier runs too. */
  damagedCopies: number;
  /** Slots. */
  reserved: number;
  bytes: number;
  /** The part of `bytes` whose segments are not wholly settled. */
  unsettledBytes: number;
  /** The share taken of the limit on unsettled bytes or of that on records, whichever is larger; 0 to 1. */
  filled: number;
}

interface PendingAppend {
  frame: Uint8Array;
  written: (segment: Segment | undefined) => void;
}

/**
 * Charges on local disk until the ledger has acknowledged them. Appends of the same moment go out in one write; nothing
 * waits for the disk itself (no fsync). A slot is reserved before work is accepted, so that its charge has room.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #lock: FolderLock;
  readonly #damagedCopies: DamagedCopies;
  readonly #segments: Segments;
  readonly #segmentMaxBytes: number;
  #writer: SegmentWriter | undefined;
  #sessionId = '';
  #number = 0;
  #pending: PendingAppend[] = [];
  #work: Promise<void> | undefined;
  #sealWanted = false;
  #beginWanted = false;
  #failed = false;
  #closed = false;
  #recovery: NodeJS.Timeout | undefined;
  #recountedAtMs = 0;
  #reserved = 0;
  #records = 0;

  private constructor(options: JournalOptions, lock: FolderLock) {
    this.#options = options;
    this.#lock = lock;
    this.#segments = new Segments(options.logger, options.clock);
    this.#damagedCopies = new DamagedCopies(options.folder, options.logger);
    this.#segmentMaxBytes = Math.min(LARGEST_SEGMENT_BYTES, Math.max(SLOT_BYTES, Math.floor(options.maxBytes / 8)));
  }

  /**
   * Takes the folder and finds the segments of earlier runs in it.
   *
   * @throws FolderLockedError while another process uses the folder, and what the file system throws
   */
  static async open(options: JournalOptions): Promise<Journal> {
    const lock = await lockFolder(options.folder);
    try {
      // Charges name accounts and what they did: they are nobody else's to read, also those that earlier versions wrote.
      makePrivateFolder(options.folder);
      const journal = new Journal(options, lock);
      await journal.#findSegments();
      return journal;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  async #findSegments(): Promise<void> {
    const found: { number: number; segment: Segment; modifiedMs: number }[] = [];
    for (const name of await readdir(this.#options.folder)) {
      const parsed = parseSegmentName(name);
      if (parsed === undefined) continue;
      const path = join(this.#options.folder, name);
      const { size, mtimeMs } = await stat(path);
      const segment = new Segment(path, parsed.sessionId, size, true);
      found.push({ number: parsed.number, segment, modifiedMs: mtimeMs });
    }
    found.sort((a, b) => a.modifiedMs - b.modifiedMs || a.number - b.number);
    for (const { segment } of found) this.#segments.add(segment);
    await this.#damagedCopies.recount();
  }

  /** Begins a segment in the session's name, so that a later run finds the session even if it wrote nothing. */
  async begin(sessionId: string): Promise<void> {
    this.#sessionId = sessionId;
    this.#sealWanted = true;
    this.#beginWanted = true;
    await this.#finishWork();
  }

  get healthy(): boolean {
    return !this.#failed && !this.#closed;
  }

  /** Reserves room for one record; false when there is none, or the disk cannot be written. */
  reserve(): boolean {
    if (this.#failed || this.#closed) return false;
    if (this.#records + this.#reserved >= this.#options.maxRecords) return false;
    const slots = (this.#reserved + 1) * SLOT_BYTES;
    const { maxBytes } = this.#options;
    if (this.#segments.unsettledBytes + slots > maxBytes) return false;
    if (this.#segments.totalBytes + slots > maxBytes) this.#segments.shrinkTo(maxBytes - slots);
    this.#reserved += 1;
    return true;
  }

  /** Gives a reserved slot back unused. */
  release(): void {
    this.#reserved -= 1;
  }

  /**
   * Appends a frame, using up one reserved slot.
   *
   * @param written called with the segment it is in, or with undefined when the write failed; the record then lives in
   *   memory only. Either way it is to be acknowledged once settled.
   */
  append(frame: Uint8Array, written: (segment: Segment | undefined) => void): void {
    this.#reserved -= 1;
    this.#records += 1;
    this.#pending.push({ frame, written });
    this.#startWork();
  }

  /** The ledger has the record; `segment` is undefined for one that was never written. */
  acknowledge(segment: Segment | undefined): void {
    this.#records -= 1;
    if (segment === undefined) return;
    segment.unacknowledged -= 1;
    this.#segments.noteSettled(segment);
  }

  /** Segments whose records are to be settled (again), oldest first. */
  backlog(): Segment[] {
    return this.#segments.backlog();
  }

  /**
   * Reads the records of a segment of the backlog; each is to be acknowledged. A copy of a damaged file is kept for an
   * operator, and a file that cannot be read stays.
   *
   * @returns undefined for a file that cannot be read
   */
  async readBacklog(segment: Segment): Promise<Uint8Array[] | undefined> {
    const { logger } = this.#options;
    const { path } = segment;
    try {
      const { payloads, damaged, damagedBytes, tornBytes } = await segment.read();
      if (tornBytes > 0) logger.warn({ path, torn_bytes: tornBytes }, 'the journal ends in a torn record');
      if (damaged > 0) {
        const fields = { path, damaged, damaged_bytes: damagedBytes, records: payloads.length };
        const copy = await this.#damagedCopies.keep(path);
        logger.error({ ...fields, copy }, 'a journal segment is damaged: the records around the damage are read');
      }
      segment.awaitsReplay = false;
      segment.unacknowledged += payloads.length;
      this.#records += payloads.length;
      this.#segments.noteSettled(segment);
      return payloads;
    } catch (error) {
      logger.error({ path, err: error }, 'a journal segment cannot be read, and is left in its place');
      this.#segments.forget(segment);
      return undefined;
    }
  }

  /** Keeps a copy of a segment with contents that make no sense. Never fails; what goes wrong is logged. */
  async setAside(segment: Segment): Promise<void> {
    await this.#damagedCopies.keep(segment.path);
  }

  /** Puts every segment still kept back into the backlog, the current one too: another database may lack them. */
  async replayKept(): Promise<void> {
    await this.#seal();
    this.#segments.replayAll();
  }

  /** Removes what was kept long enough, and ends a segment that has been written to for long. To be called now and then. */
  sweep(): void {
    const now = this.#options.clock.monotonicMs();
    this.#segments.removeSettledFor(this.#options.keepMs);
    const writer = this.#writer;
    if (writer?.holdsRecords && now - writer.openedAtMs >= this.#options.keepMs / 3) {
      this.#sealWanted = true;
      this.#startWork();
    }
    if (this.#damagedCopies.count > 0 && now - this.#recountedAtMs >= RECOUNT_INTERVAL_MS) this.#recountCopies(now);
  }

  #recountCopies(now: number): void {
    this.#recountedAtMs = now;
    this.#damagedCopies.recount().catch((error: unknown) => {
      this.#options.logger.warn({ err: error }, 'copies of damaged journal segments cannot be counted');
    });
  }

  stats(): JournalStats {
    const { maxBytes, maxRecords } = this.#options;
    return {
      records: this.#records,
      unread: this.#segments.backlog().length,
      damagedCopies: this.#damagedCopies.count,
      reserved: this.#reserved,
      bytes: this.#segments.totalBytes,
      unsettledBytes: this.#segments.unsettledBytes,
      filled: Math.min(1, Math.max(this.#segments.unsettledBytes / maxBytes, this.#records / maxRecords)),
    };
  }

  /** Writes what is pending, closes the file and gives the folder free. */
  async close(): Promise<void> {
    clearTimeout(this.#recovery);
    await this.#finishWork();
    this.#closed = true;
    await this.#seal();
    await this.#lock.release().catch((error: unknown) => {
      this.#options.logger.warn({ err: error }, 'the lock of the journal cannot be removed');
    });
  }

  async #seal(): Promise<void> {
    this.#sealWanted = true;
    await this.#finishWork();
  }

  async #finishWork(): Promise<void> {
    do {
      this.#startWork();
      await this.#work;
    } while (this.#work !== undefined);
  }

  /** One worker at a time; what arrives while it writes goes out with its next write. */
  #startWork(): void {
    if (this.#work !== undefined) return;
    this.#work = Promise.resolve().then(async () => {
      await this.#drainPending();
      this.#work = undefined;
      if (this.#pending.length > 0 || this.#sealWanted || this.#beginWanted) this.#startWork();
    });
  }

  async #drainPending(): Promise<void> {
    do {
      const batch = this.#pending;
      this.#pending = [];
      const segment = await this.#write(batch);
      for (const append of batch) append.written(segment);
    } while (this.#pending.length > 0);
  }

  /** Writes a batch; undefined when it cannot be written. On a full disk, segments that are only kept give way. */
  async #write(batch: PendingAppend[]): Promise<Segment | undefined> {
    const [first] = batch;
    const bytes = batch.length === 1 && first !== undefined ? first.frame : Buffer.concat(batch.map((a) => a.frame));
    for (;;) {
      try {
        const writer = await this.#writerFor(bytes.length);
        if (bytes.length === 0 || writer === undefined) return undefined;
        await writer.append(bytes);
        this.#segments.appended(writer.segment, batch.length, bytes.length);
        return writer.segment;
      } catch (error) {
        if (isDiskFull(error) && (await this.#makeRoom())) continue;
        await this.#fail(error, batch.length);
        return undefined;
      }
    }
  }

  /** Removes the oldest settled segment, be it the one written to. Returns whether there was one. */
  async #makeRoom(): Promise<boolean> {
    if (await this.#segments.removeOldestSettled()) return true;
    if (this.#writer?.holdsRecords !== true || this.#writer.segment.unacknowledged > 0) return false;
    await this.#endSegment();
    return await this.#segments.removeOldestSettled();
  }

  /** The segment to write to: another one when that is asked for, or when the bytes would make this one too large. */
  async #writerFor(bytes: number): Promise<SegmentWriter | undefined> {
    const writer = this.#writer;
    const full = writer?.holdsRecords && writer.segment.bytes + bytes > this.#segmentMaxBytes;
    if (this.#sealWanted || full) await this.#endSegment();
    const wanted = this.#beginWanted || bytes > 0;
    if (this.#writer === undefined && wanted && !this.#failed && !this.#closed) await this.#beginSegment(false);
    this.#beginWanted = false;
    return this.#writer;
  }

  async #beginSegment(probe: boolean): Promise<void> {
    this.#number += 1;
    const { folder, clock, createFile } = this.#options;
    if (probe) await requireRoom(folder, createFile);
    const path = join(folder, segmentName(this.#sessionId, this.#number));
    this.#writer = await SegmentWriter.create(path, this.#sessionId, clock.monotonicMs(), createFile);
    this.#segments.add(this.#writer.segment);
  }

  async #endSegment(): Promise<void> {
    this.#sealWanted = false;
    const writer = this.#writer;
    if (writer === undefined) return;
    this.#writer = undefined;
    await writer.close();
    this.#segments.noteSettled(writer.segment);
  }

  async #fail(error: unknown, records: number): Promise<void> {
    const { logger } = this.#options;
    logger.error({ err: error, records }, 'the journal cannot be written; charges are kept in memory only');
    this.#failed = true;
    this.#beginWanted = false;
    try {
      await this.#endSegment();
    } catch (closing) {
      logger.error({ err: closing }, 'the failed journal segment cannot be closed');
    }
    this.#scheduleRecovery();
  }

  #scheduleRecovery(): void {
    if (this.#closed) return;
    clearTimeout(this.#recovery);
    this.#recovery = setTimeout(() => {
      this.#recover().catch((error: unknown) => {
        this.#options.logger.debug({ error: messageOf(error) }, 'the journal still cannot be written');
        this.#scheduleRecovery();
      });
    }, RECOVERY_INTERVAL_MS);
    this.#recovery.unref();
  }

  async #recover(): Promise<void> {
    await this.#finishWork();
    for (;;) {
      try {
        await this.#beginSegment(true);
        break;
      } catch (error) {
        if (!isDiskFull(error) || !(await this.#segments.removeOldestSettled())) throw error;
      }
    }
    this.#failed = false;
    this.#options.logger.info('the journal can be written again');
  }
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

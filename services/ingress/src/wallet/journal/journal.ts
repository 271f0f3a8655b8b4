import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@tollgate/common/clock';
import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import { makePrivateFolder } from '@tollgate/common/private-folder';
import { DamagedCopies } from './damaged-copies.ts';
import { type FolderLock, lockFolder } from './folder-lock.ts';
import { type CreateFile, parseSegmentName, requireRoom, Segment, SegmentWriter, segmentName } from './segment.ts';
import { Segments } from './segments.ts';

/** Disk space that a slot reserves. A typical record takes a quarter; a longer one is still written. */
export const SLOT_BYTES = 2_048;

/** How often a failed journal retries to write. */
const RECOVERY_INTERVAL_MS = 1_000;

/** How often copies of damaged segments are counted again, as an operator may remove some. */
const RECOUNT_INTERVAL_MS = 60_000;

const MAX_SEGMENT_BYTES = 8 * 1024 * 1024;

export interface JournalOptions {
  folder: string;
  /** Maximum size of all files and reserved slots together. */
  maxBytes: number;
  /** Maximum number of unacknowledged records and reserved slots together. */
  maxRecords: number;
  /** How long acknowledged segments are kept, to settle them again after a failover of the database. */
  keepMs: number;
  logger: Logger;
  clock: Clock;
  /** Creates the files to write; replaced only in tests of a full disk. */
  createFile?: CreateFile;
}

export interface JournalStats {
  /** Records in memory that are not acknowledged. */
  records: number;
  /** Segments whose records are not read yet; these records are not counted. */
  unread: number;
  /** Copies of damaged segments in the folder, including those of earlier runs. */
  damagedCopies: number;
  /** Reserved slots. */
  reserved: number;
  bytes: number;
  /** Size of the segments that are not fully settled. */
  unsettledBytes: number;
  /** Share of the limit on unsettled bytes or on records that is used, whichever is larger; 0 to 1. */
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
    this.#segmentMaxBytes = Math.min(MAX_SEGMENT_BYTES, Math.max(SLOT_BYTES, Math.floor(options.maxBytes / 8)));
  }

  /**
   * Locks the folder and finds the segments of earlier runs in it.
   *
   * @throws FolderLockedError while another process uses the folder, and what the file system throws
   */
  static async open(options: JournalOptions): Promise<Journal> {
    const lock = await lockFolder(options.folder);
    try {
      // Charges name accounts and their requests: no other user may read them.
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

  /** Begins a segment named after the session, so that a later run finds the session even if it wrote nothing. */
  async begin(sessionId: string): Promise<void> {
    this.#sessionId = sessionId;
    this.#sealWanted = true;
    this.#beginWanted = true;
    await this.#finishWork();
  }

  get healthy(): boolean {
    return !this.#failed && !this.#closed;
  }

  /** Reserves space for one record; false when there is none, or the disk cannot be written. */
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

  /** Releases an unused slot. */
  release(): void {
    this.#reserved -= 1;
  }

  /**
   * Appends a frame, using up one reserved slot.
   *
   * @param written called with the record's segment, or with undefined when the write failed and the record is in memory
   *   only. Either way it must be acknowledged once settled.
   */
  append(frame: Uint8Array, written: (segment: Segment | undefined) => void): void {
    this.#reserved -= 1;
    this.#records += 1;
    this.#pending.push({ frame, written });
    this.#startWork();
  }

  /** Records that the ledger has the record; `segment` is undefined for one that was never written. */
  acknowledge(segment: Segment | undefined): void {
    this.#records -= 1;
    if (segment === undefined) return;
    segment.unacknowledged -= 1;
    this.#segments.markIfSettled(segment);
  }

  /** Segments whose records must be settled (again), oldest first. */
  backlog(): Segment[] {
    return this.#segments.backlog();
  }

  /**
   * Reads the records of a segment of the backlog; each must be acknowledged. A copy of a damaged file is kept for an
   * operator, and an unreadable file stays.
   *
   * @returns undefined for an unreadable file
   */
  async readBacklog(segment: Segment): Promise<Uint8Array[] | undefined> {
    const { logger } = this.#options;
    const { path } = segment;
    try {
      const { payloads, damagedStretches, damagedBytes, tornBytes } = await segment.read();
      if (tornBytes > 0) logger.warn({ path, torn_bytes: tornBytes }, 'the journal ends with an incomplete record');
      if (damagedStretches > 0) {
        const fields = { path, damaged: damagedStretches, damaged_bytes: damagedBytes, records: payloads.length };
        const copy = await this.#damagedCopies.keep(path);
        logger.error({ ...fields, copy }, 'a journal segment is damaged: reading the records around the damage');
      }
      segment.awaitsReplay = false;
      segment.unacknowledged += payloads.length;
      this.#records += payloads.length;
      this.#segments.markIfSettled(segment);
      return payloads;
    } catch (error) {
      logger.error({ path, err: error }, 'a journal segment cannot be read and is left in place');
      this.#segments.drop(segment);
      return undefined;
    }
  }

  /** Keeps a copy of a segment with invalid contents. Never fails; errors are logged. */
  async keepDamagedCopy(segment: Segment): Promise<void> {
    await this.#damagedCopies.keep(segment.path);
  }

  /** Puts every kept segment back into the backlog, the current one too: another database may lack their records. */
  async replayKept(): Promise<void> {
    await this.#seal();
    this.#segments.replayAll();
  }

  /** Removes expired segments, and ends a segment that has been open for long. Call it periodically. */
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

  /** Writes pending records, closes the file and unlocks the folder. */
  async close(): Promise<void> {
    clearTimeout(this.#recovery);
    await this.#finishWork();
    this.#closed = true;
    await this.#seal();
    await this.#lock.release().catch((error: unknown) => {
      this.#options.logger.warn({ err: error }, "the journal's lock cannot be removed");
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

  /**
   * Runs one worker at a time. It begins as a microtask, so that the charges of all responses that end together go into one
   * write; those that arrive while it writes go into the next.
   */
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

  /** Writes a batch; undefined when it cannot be written. On a full disk it removes settled segments. */
  async #write(batch: PendingAppend[]): Promise<Segment | undefined> {
    const [first] = batch;
    const bytes = batch.length === 1 && first !== undefined ? first.frame : Buffer.concat(batch.map((a) => a.frame));
    for (;;) {
      try {
        const writer = await this.#writerFor(bytes.length);
        if (bytes.length === 0 || writer === undefined) return undefined;
        await writer.append(bytes);
        this.#segments.recordAppend(writer.segment, batch.length, bytes.length);
        return writer.segment;
      } catch (error) {
        if (isDiskFull(error) && (await this.#makeRoom())) continue;
        await this.#fail(error, batch.length);
        return undefined;
      }
    }
  }

  /** Removes the oldest settled segment, even the current one. Returns whether there was one. */
  async #makeRoom(): Promise<boolean> {
    if (await this.#segments.removeOldestSettled()) return true;
    if (this.#writer?.holdsRecords !== true || this.#writer.segment.unacknowledged > 0) return false;
    await this.#endSegment();
    return await this.#segments.removeOldestSettled();
  }

  /** The segment to write to: a new one when requested, or when the bytes would make the current one too large. */
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
    this.#writer = await SegmentWriter.create(path, this.#sessionId, clock, createFile);
    this.#segments.add(this.#writer.segment);
  }

  async #endSegment(): Promise<void> {
    this.#sealWanted = false;
    const writer = this.#writer;
    if (writer === undefined) return;
    this.#writer = undefined;
    await writer.close();
    this.#segments.markIfSettled(writer.segment);
  }

  async #fail(error: unknown, records: number): Promise<void> {
    const { logger } = this.#options;
    logger.error({ err: error, records }, 'the journal cannot be written; keeping charges in memory only');
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

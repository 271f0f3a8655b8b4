import type { Clock } from '@tollgate/common/clock';
import type { Logger } from '@tollgate/common/logging';
import type { Segment } from './segment.ts';

/** The segments of a journal, oldest first, and their total size. */
export class Segments {
  readonly #all = new Set<Segment>();
  readonly #logger: Logger;
  readonly #clock: Clock;
  #totalBytes = 0;
  #unsettledBytes = 0;

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Size of the segments that are not fully settled. */
  get unsettledBytes(): number {
    return this.#unsettledBytes;
  }

  add(segment: Segment): void {
    this.#all.add(segment);
    this.#totalBytes += segment.bytes;
    this.#unsettledBytes += segment.bytes;
  }

  /** Counts records that were appended to a segment. */
  recordAppend(segment: Segment, records: number, bytes: number): void {
    segment.unacknowledged += records;
    this.#totalBytes += bytes;
    this.#unsettledBytes += bytes;
  }

  /** Marks a segment as settled if it has nothing left to settle. */
  markIfSettled(segment: Segment): void {
    if (!segment.settled || segment.settledAtMs !== undefined) return;
    segment.settledAtMs = this.#clock.monotonicMs();
    this.#unsettledBytes -= segment.bytes;
  }

  /** Segments whose records must be settled (again). */
  backlog(): Segment[] {
    return [...this.#all].filter((segment) => segment.awaitsReplay);
  }

  /** Puts all sealed segments into the backlog. */
  replayAll(): void {
    for (const segment of this.#all) {
      if (!segment.sealed || segment.awaitsReplay) continue;
      segment.awaitsReplay = true;
      if (segment.settledAtMs === undefined) continue;
      segment.settledAtMs = undefined;
      this.#unsettledBytes += segment.bytes;
    }
  }

  /** Stops counting a segment; its file stays in place. */
  drop(segment: Segment): void {
    this.#all.delete(segment);
    this.#totalBytes -= segment.bytes;
    if (segment.settledAtMs === undefined) this.#unsettledBytes -= segment.bytes;
  }

  /** Removes segments that have been settled for at least this long. */
  removeSettledFor(ms: number): void {
    const now = this.#clock.monotonicMs();
    for (const segment of this.#all) {
      if (segment.settledAtMs !== undefined && now - segment.settledAtMs >= ms) void this.#remove(segment);
    }
  }

  /** Removes settled segments, oldest first, until the total size is at most `bytes`. */
  shrinkTo(bytes: number): void {
    for (const segment of this.#all) {
      if (this.#totalBytes <= bytes) return;
      if (segment.settledAtMs !== undefined) void this.#removeEarly(segment, 'the journal is full');
    }
  }

  /** Removes the oldest settled segment, as the disk is full. Returns whether there was one. */
  async removeOldestSettled(): Promise<boolean> {
    for (const segment of this.#all) {
      if (segment.settledAtMs === undefined) continue;
      await this.#removeEarly(segment, 'the disk is full');
      return true;
    }
    return false;
  }

  #removeEarly(segment: Segment, reason: string): Promise<void> {
    this.#logger.warn({ path: segment.path, reason }, 'removing an acknowledged journal segment early');
    return this.#remove(segment);
  }

  async #remove(segment: Segment): Promise<void> {
    this.drop(segment);
    try {
      await segment.remove();
    } catch (error) {
      this.#logger.error({ path: segment.path, err: error }, 'a journal segment cannot be removed');
    }
  }
}

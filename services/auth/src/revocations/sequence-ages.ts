/** Finds the sequence numbers that are older than some age, by this process's clock. */
export class SequenceAges {
  readonly #ageMs: number;
  /** The last number at each of these times, oldest first. */
  readonly #notes: { sequence: bigint; atMs: number }[] = [];

  constructor(ageMs: number) {
    this.#ageMs = ageMs;
  }

  /**
   * Records the last sequence number. Called at intervals, because every number is kept for that age.
   *
   * @returns the highest number known to be older than that; undefined while none is
   */
  note(sequence: bigint, nowMs: number): bigint | undefined {
    this.#notes.push({ sequence, atMs: nowMs });
    const kept = this.#notes.findIndex(({ atMs }) => atMs > nowMs - this.#ageMs);
    return this.#notes.splice(0, kept).at(-1)?.sequence;
  }
}

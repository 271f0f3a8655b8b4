/** Tells by this process's own clock which sequence numbers are older than some age. */
export class SequenceAges {
  readonly #ageMs: number;
  /** The last number that had been given at each of these times, oldest first. */
  readonly #notes: { sequence: bigint; atMs: number }[] = [];

  constructor(ageMs: number) {
    this.#ageMs = ageMs;
  }

  /**
   * Notes the last number that has been given; to be called at intervals, as every note is kept for as long as the age.
   *
   * @returns the highest number known to be older than that; undefined while none is
   */
  note(sequence: bigint, nowMs: number): bigint | undefined {
    this.#notes.push({ sequence, atMs: nowMs });
    const kept = this.#notes.findIndex(({ atMs }) => atMs > nowMs - this.#ageMs);
    return this.#notes.splice(0, kept).at(-1)?.sequence;
  }
}

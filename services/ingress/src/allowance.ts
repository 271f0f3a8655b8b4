/** How many there may be at once, and how many more come with each second. */
export interface AllowanceRate {
  burst: number;
  perSecond: number;
}

const MS_PER_SECOND = 1_000;

/** An allowance that is used up and grows again. It may be overdrawn once by what was under way, down to minus its size. */
export class Allowance {
  readonly #rate: AllowanceRate;
  #left: number;
  #atMs: number;

  constructor(rate: AllowanceRate, nowMs: number) {
    this.#rate = rate;
    this.#left = rate.burst;
    this.#atMs = nowMs;
  }

  /** How long until one is left; 0 when there is one. */
  waitMs(nowMs: number): number {
    this.#grow(nowMs);
    return this.#left >= 1 ? 0 : Math.ceil(((1 - this.#left) / this.#rate.perSecond) * MS_PER_SECOND);
  }

  /** Takes one, whether or not it is there. */
  take(nowMs: number): void {
    this.#grow(nowMs);
    this.#left = Math.max(this.#left - 1, -this.#rate.burst);
  }

  /** Takes one back that was taken; there are never more than at first. */
  giveBack(): void {
    this.#left = Math.min(this.#left + 1, this.#rate.burst);
  }

  /** Whether none is missing. */
  isWhole(nowMs: number): boolean {
    this.#grow(nowMs);
    return this.#left >= this.#rate.burst;
  }

  #grow(nowMs: number): void {
    const grown = (Math.max(nowMs - this.#atMs, 0) / MS_PER_SECOND) * this.#rate.perSecond;
    this.#left = Math.min(this.#left + grown, this.#rate.burst);
    this.#atMs = Math.max(nowMs, this.#atMs);
  }
}

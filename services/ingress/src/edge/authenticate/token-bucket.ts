const MS_PER_SECOND = 1_000;

/** How much a bucket holds, and how much flows in each second. */
export interface TokenBucketRate {
  burst: number;
  perSecond: number;
}

/** A token bucket. Concurrent takers may overdraw it, down to minus its size. */
export class TokenBucket {
  readonly #rate: TokenBucketRate;
  #tokens: number;
  #atMs: number;

  /** A full bucket. */
  constructor(rate: TokenBucketRate, nowMs: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#atMs = nowMs;
  }

  /** How long until there is a token; 0 when there is one. */
  waitMs(nowMs: number): number {
    this.#refill(nowMs);
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / this.#rate.perSecond) * MS_PER_SECOND);
  }

  /** Takes a token, whether or not there is one. */
  take(nowMs: number): void {
    this.#refill(nowMs);
    this.#tokens = Math.max(this.#tokens - 1, -this.#rate.burst);
  }

  /** Returns a token that was taken. */
  giveBack(): void {
    this.#tokens = Math.min(this.#tokens + 1, this.#rate.burst);
  }

  #refill(nowMs: number): void {
    const refill = (Math.max(nowMs - this.#atMs, 0) / MS_PER_SECOND) * this.#rate.perSecond;
    this.#tokens = Math.min(this.#tokens + refill, this.#rate.burst);
    this.#atMs = Math.max(nowMs, this.#atMs);
  }
}

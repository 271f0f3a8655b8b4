/** How long a revocation is remembered: five times the longest life of a record in the cache. */
export const REMEMBER_MS = 300_000;
const MOST = 100_000;

/** The keys revoked lately, by the hex of their SHA-256, in bounded memory. */
export class RevokedKeys {
  readonly #most: number;
  /** When each was learnt of; a Map keeps the order, so the oldest is first. */
  readonly #learntAtMs = new Map<string, number>();
  #overflowedAtMs = Number.NEGATIVE_INFINITY;

  constructor(most: number = MOST) {
    this.#most = most;
  }

  has(sha256: string): boolean {
    return this.#learntAtMs.has(sha256);
  }

  add(sha256: string, nowMs: number): void {
    this.#learntAtMs.delete(sha256);
    this.#learntAtMs.set(sha256, nowMs);
    for (const [oldest, learntAtMs] of this.#learntAtMs) {
      const outdated = learntAtMs < nowMs - REMEMBER_MS;
      if (!outdated && this.#learntAtMs.size <= this.#most) break;
      if (!outdated) this.#overflowedAtMs = nowMs;
      this.#learntAtMs.delete(oldest);
    }
  }

  /** False for a while after more were revoked than fit: then no cached record may be trusted. */
  complete(nowMs: number): boolean {
    return nowMs - this.#overflowedAtMs > REMEMBER_MS;
  }
}

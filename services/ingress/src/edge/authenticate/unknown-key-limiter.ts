import { LRUCache } from 'lru-cache';
import { TokenBucket, type TokenBucketRate } from './token-bucket.ts';

/** Lookups of unknown keys that auth gets from this process: a burst, then a steady rate. */
const AUTH_MISSES: TokenBucketRate = { burst: 1_000, perSecond: 20 };
/** How many more lookups each second grants a network. */
const PER_SECOND = 1;
const MAX_NETWORKS = 10_000;
const MAX_KNOWN = 100_000;
const KNOWN_KEY_MS = 86_400_000;

/** Identifies a key without its text. */
export interface KeyIdentity {
  sha256: string;
  accountTag: string;
}

/** A well-formed key about to be looked up. */
export interface KeyLookup extends KeyIdentity {
  /** Returns what counts as one client (see clientNetwork). Called only for keys that are not known. */
  network: () => string;
}

export interface UnknownKeyLimiterOptions {
  /** Unknown keys that one network may have looked up at once; 0 switches the limit of networks off. */
  burst: number;
  authMisses?: TokenBucketRate;
  /** Keys and accounts that are remembered, each. */
  maxKnown?: number;
  /** A monotonic clock, in milliseconds. */
  now: () => number;
}

/**
 * Caps lookups of unknown keys. A key is known when this process has found it active within a day.
 *
 * Each network has a token bucket, from which only misses take: lookups that found no active key. A made-up key names a
 * made-up account, so accounts that have presented an active key here have a bucket of their own for each network, and
 * new keys of theirs are looked up while the network floods. Calls of auth are also capped for the process.
 */
export class UnknownKeyLimiter {
  readonly #rate: TokenBucketRate;
  readonly #now: () => number;
  readonly #knownKeys: LRUCache<string, true>;
  readonly #knownAccounts: LRUCache<string, true>;
  readonly #buckets: LRUCache<string, TokenBucket>;
  readonly #authMisses: TokenBucket;

  constructor({ burst, authMisses = AUTH_MISSES, maxKnown = MAX_KNOWN, now }: UnknownKeyLimiterOptions) {
    this.#rate = { burst, perSecond: PER_SECOND };
    this.#now = now;
    const clock = { perf: { now }, ttlResolution: 0 };
    // With `max` instead of sizes, each cache would reserve its memory at once: 3 MiB.
    const known = { maxSize: maxKnown, sizeCalculation: () => 1 };
    this.#knownKeys = new LRUCache({ ...known, ttl: KNOWN_KEY_MS, ...clock });
    this.#knownAccounts = new LRUCache(known);
    // An overdrawn bucket is full again after twice the time of its burst.
    this.#buckets = new LRUCache({ max: MAX_NETWORKS, ttl: Math.max(1, (2_000 * burst) / PER_SECOND), ...clock });
    this.#authMisses = new TokenBucket(authMisses, now());
  }

  /** Remembers an active key and its account. */
  markKnown(sha256: string, accountTag: string): void {
    this.#knownKeys.set(sha256, true);
    this.#knownAccounts.set(accountTag, true);
  }

  isKnown(sha256: string): boolean {
    return this.#knownKeys.get(sha256) === true;
  }

  /** How long the client must wait before its key may be looked up; 0 for a key that may be looked up now. */
  waitMs(lookup: KeyLookup): number {
    if (this.#rate.burst === 0 || this.isKnown(lookup.sha256)) return 0;
    return this.#buckets.get(this.#bucketName(lookup))?.waitMs(this.#now()) ?? 0;
  }

  /** Counts a lookup that found no active key. */
  recordMiss(lookup: KeyLookup): void {
    if (this.#rate.burst === 0 || this.isKnown(lookup.sha256)) return;
    const name = this.#bucketName(lookup);
    const nowMs = this.#now();
    const bucket = this.#buckets.get(name) ?? new TokenBucket(this.#rate, nowMs);
    bucket.take(nowMs);
    this.#buckets.set(name, bucket);
  }

  /** Takes a call of auth for an unknown key; false when there is none left. */
  takeAuthCall(): boolean {
    const nowMs = this.#now();
    if (this.#authMisses.waitMs(nowMs) > 0) return false;
    this.#authMisses.take(nowMs);
    return true;
  }

  /** Returns a call of auth that found a key, or failed. */
  returnAuthCall(): void {
    this.#authMisses.giveBack();
  }

  #bucketName({ accountTag, network }: KeyLookup): string {
    return this.#knownAccounts.get(accountTag) === true ? `${network()} ${accountTag}` : network();
  }
}

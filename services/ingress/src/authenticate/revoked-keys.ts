import type { CachedKey } from '@tollgate/common/keys/index';

/** How long a change is remembered: five times the longest life of a record in the cache. */
export const REMEMBER_MS = 300_000;
const MOST = 100_000;

/** The position of what may have been read at any time, such as a record in Redis. */
export const UNKNOWN_POSITION = -1;

interface Learnt {
  atMs: number;
  position: number;
  /** Records of an earlier one are out of date. */
  revision: bigint;
}

/**
 * What auth has told of keys lately, in bounded memory: values that are dead for good, by the hex of their SHA-256, and
 * keys and accounts that have changed, by their ids.
 *
 * Each change learnt has a position, which grows. What was asked of auth at a position reflects every change up to it,
 * whatever its revision; what was read elsewhere does when its revision says so.
 */
export class RevokedKeys {
  readonly #most: number;
  /** A Map keeps the order in which they were learnt, so the oldest is first. */
  readonly #learnt = new Map<string, Learnt>();
  #position = 0;
  #overflowedAtMs = Number.NEGATIVE_INFINITY;

  constructor(most: number = MOST) {
    this.#most = most;
  }

  /** The position of the last change learnt. */
  get position(): number {
    return this.#position;
  }

  /** Whether a value of a key is dead. */
  has(sha256: string): boolean {
    return this.#learnt.has(sha256);
  }

  /** Remembers a value that is dead. */
  add(sha256: string, nowMs: number): void {
    this.#learn(sha256, 0n, nowMs);
  }

  /** Remembers that a key or an account, named by its id, has changed. */
  addChange(id: string, revision: bigint, nowMs: number): void {
    const known = this.#learnt.get(id)?.revision ?? 0n;
    this.#learn(id, revision > known ? revision : known, nowMs);
  }

  /** Remembers that something has changed that this version has no word for: for a while nothing can be relied on. */
  addUnknown(nowMs: number): void {
    this.#position += 1;
    this.#overflowedAtMs = nowMs;
  }

  /**
   * Whether a record of a key is from before a change of the key or its account.
   *
   * @param position where auth was asked for the record
   */
  outdated(key: Pick<CachedKey, 'keyId' | 'revision' | 'accountId' | 'accountRevision'>, position: number): boolean {
    return (
      this.#isBehind(key.keyId, key.revision, position) || this.#isBehind(key.accountId, key.accountRevision, position)
    );
  }

  /** Whether a key or an account has changed after a position. */
  changedSince(id: string, position: number): boolean {
    const learnt = this.#learnt.get(id);
    return learnt !== undefined && learnt.position > position;
  }

  /** False for a while after more has changed than fits: then no cached record may be trusted. */
  complete(nowMs: number): boolean {
    return nowMs - this.#overflowedAtMs > REMEMBER_MS;
  }

  #isBehind(id: string, revision: bigint, position: number): boolean {
    const learnt = this.#learnt.get(id);
    return learnt !== undefined && learnt.position > position && learnt.revision > revision;
  }

  #learn(name: string, revision: bigint, nowMs: number): void {
    this.#position += 1;
    this.#learnt.delete(name);
    this.#learnt.set(name, { atMs: nowMs, position: this.#position, revision });
    for (const [oldest, { atMs }] of this.#learnt) {
      const outdated = atMs < nowMs - REMEMBER_MS;
      if (!outdated && this.#learnt.size <= this.#most) break;
      if (!outdated) this.#overflowedAtMs = nowMs;
      this.#learnt.delete(oldest);
    }
  }
}

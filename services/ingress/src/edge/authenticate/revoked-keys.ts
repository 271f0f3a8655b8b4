import type { CachedKey } from '@tollgate/common/keys/index';
import type { KeyOwner } from '../../shared/request/request-context.ts';

/** How long a change is remembered: five times the longest lifetime of a record in the cache. */
export const REMEMBER_MS = 300_000;
const MAX_CHANGES = 100_000;

/** The position of records that may have been read at any time, such as those in Redis. */
export const UNKNOWN_POSITION = -1;

interface ObservedChange {
  atMs: number;
  position: number;
  /** Records of an earlier one are out of date. */
  revision: bigint;
  /** Of a dead value, if auth has reported it. */
  owner: KeyOwner | undefined;
}

/**
 * The changes that auth has reported lately, in bounded memory: dead values of keys, by the hex of their
 * SHA-256, and keys and accounts that have changed, by their ids.
 *
 * Each observed change has an increasing position. A record requested from auth at a position reflects every change up to
 * it, whatever its revision; a record read elsewhere does so if its revision says so.
 */
export class RevokedKeys {
  readonly #max: number;
  /** In the order in which they were observed. */
  readonly #observed = new Map<string, ObservedChange>();
  #position = 0;
  #overflowedAtMs = Number.NEGATIVE_INFINITY;

  constructor(max: number = MAX_CHANGES) {
    this.#max = max;
  }

  /** The position of the last change observed. */
  get position(): number {
    return this.#position;
  }

  /** Whether a value of a key is dead. */
  has(sha256: string): boolean {
    return this.#observed.has(sha256);
  }

  /** Whose key a dead value belongs to; undefined where that is not known. */
  ownerOf(sha256: string): KeyOwner | undefined {
    return this.#observed.get(sha256)?.owner;
  }

  /** Remembers a value that is dead. */
  add(sha256: string, nowMs: number, owner?: KeyOwner): void {
    this.#observe(sha256, 0n, nowMs, owner);
  }

  /** Remembers that a key or an account, named by its id, has changed. */
  addChange(id: string, revision: bigint, nowMs: number): void {
    const known = this.#observed.get(id)?.revision ?? 0n;
    this.#observe(id, revision > known ? revision : known, nowMs);
  }

  /** Remembers a change of a kind that this version does not know: for a while nothing can be trusted. */
  addUnknown(nowMs: number): void {
    this.#position += 1;
    this.#overflowedAtMs = nowMs;
  }

  /**
   * Whether a record of a key is from before a change of the key or its account.
   *
   * @param position at which the record was requested from auth
   */
  outdated(key: Pick<CachedKey, 'keyId' | 'revision' | 'accountId' | 'accountRevision'>, position: number): boolean {
    return (
      this.#isBehind(key.keyId, key.revision, position) || this.#isBehind(key.accountId, key.accountRevision, position)
    );
  }

  /** Whether a key or an account has changed after a position. */
  changedSince(id: string, position: number): boolean {
    const observed = this.#observed.get(id);
    return observed !== undefined && observed.position > position;
  }

  /** False for a while after more has changed than fits: no cached record may be trusted then. */
  complete(nowMs: number): boolean {
    return nowMs - this.#overflowedAtMs > REMEMBER_MS;
  }

  #isBehind(id: string, revision: bigint, position: number): boolean {
    const observed = this.#observed.get(id);
    return observed !== undefined && observed.position > position && observed.revision > revision;
  }

  #observe(name: string, revision: bigint, nowMs: number, owner?: KeyOwner): void {
    this.#position += 1;
    this.#observed.delete(name);
    this.#observed.set(name, { atMs: nowMs, position: this.#position, revision, owner });
    for (const [oldest, { atMs }] of this.#observed) {
      const outdated = atMs < nowMs - REMEMBER_MS;
      if (!outdated && this.#observed.size <= this.#max) break;
      if (!outdated) this.#overflowedAtMs = nowMs;
      this.#observed.delete(oldest);
    }
  }
}

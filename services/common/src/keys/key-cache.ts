import type { RedisClient } from '../redis/client.ts';
import { type CachedKey, decodeRecord, encodeRecord } from './record.ts';

/** How long a record is valid, from the moment before the database was read. */
export const RECORD_LIFE_MS = 60_000;
/** How far the clock of the auth that wrote a record may be ahead. */
const CLOCK_TOLERANCE_MS = 5_000;

/** A record of the cache, and how long it stays valid. */
export interface RedisRecord {
  key: CachedKey;
  leftMs: number;
}

/**
 * The active keys in Redis: auth writes them, ingresses read them. It is a cache, never the authority. A record may be
 * stale, because a write can overtake a deletion, and a restored dump brings old entries back. So an ingress checks each
 * record against the changes it has received in the stream of revocations, and no record is valid for longer than those
 * changes are kept: it carries the time the database was read, regardless of its expiry in Redis.
 *
 * Every method rejects when Redis does not respond.
 */
export class KeyCache {
  readonly #redis: RedisClient;
  readonly #wallClock: () => number;

  /** @param wallClock Unix milliseconds */
  constructor(redis: RedisClient, wallClock: () => number = Date.now) {
    this.#redis = redis;
    this.#wallClock = wallClock;
  }

  /** The record of a key; undefined when there is no valid one. */
  async read(accountTag: string, sha256: string): Promise<RedisRecord | undefined> {
    const text = await this.#redis.get(entryName(accountTag, sha256));
    const record = text === null ? undefined : decodeRecord(text, accountTag);
    if (record === undefined) return undefined;
    const ageMs = this.#wallClock() - record.readAtMs;
    if (ageMs < -CLOCK_TOLERANCE_MS || ageMs >= RECORD_LIFE_MS) return undefined;
    return { key: record.key, leftMs: RECORD_LIFE_MS - Math.max(0, ageMs) };
  }

  /**
   * Stores the record of an active key.
   *
   * @param readAtMs Unix milliseconds from before the database was read
   */
  async write(sha256: string, key: CachedKey, readAtMs: number): Promise<void> {
    await this.#redis.set(entryName(key.accountTag, sha256), encodeRecord({ key, readAtMs }), 'PX', RECORD_LIFE_MS);
  }

  /** Removes the records of keys of one account, so that the next request reads the database. */
  async remove(accountTag: string, sha256s: readonly string[]): Promise<void> {
    if (sha256s.length === 0) return;
    await this.#redis.del(...sha256s.map((sha256) => entryName(accountTag, sha256)));
  }
}

/** The name of a key's entry. The hash tag keeps the entries of an account on one node of a Redis Cluster. */
export function entryName(accountTag: string, sha256: string): string {
  return `tollgate:{${accountTag}}:key:${sha256}`;
}

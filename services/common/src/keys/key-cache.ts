import { randomBytes } from 'node:crypto';
import type { Result } from 'ioredis';
import type { RedisClient } from '../redis/client.ts';
import { type CachedKey, decodeRecord, encodeRecord } from './record.ts';
import { BEGIN_FILL, BURY_KEY, END_FILL, FORGET_KEY, READ_KEY } from './scripts.ts';

/** Longest a record lives in the cache, counted from before the database was read. */
export const RECORD_LIFE_MS = 60_000;
/** How long a tombstone is kept: longer than any record read before the deletion can live. */
export const TOMBSTONE_LIFE_MS = 600_000;
/** How long an unused generation is kept. A fill that takes longer is refused, which is safe. */
const GENERATION_LIFE_MS = 600_000;

/** A share of a token bucket that a request takes. */
export interface BucketTake {
  /** Name of the bucket among those of the account. */
  bucket: string;
  /** Tokens that flow in per minute. */
  perMinute: number;
  /** Tokens a full bucket holds. */
  burst: number;
}

/** What the cache says of a key, and how long to wait where a bucket lacks tokens (then nothing was taken). */
export interface KeyReading {
  state: { kind: 'live'; key: CachedKey } | { kind: 'dead' } | { kind: 'missing' };
  /** 0: nothing is lacking. */
  retryAfterMs: number;
}

/** A fill that has begun: the generation seen, and the time its record will die at. */
export interface Fill {
  generation: string;
  diesAt: string;
}

declare module 'ioredis' {
  interface RedisCommander<Context> {
    tollgateReadKey(entry: string, always: string): Result<[string, number, number], Context>;
    tollgateReadKeyAndTake(
      entry: string,
      bucket: string,
      always: string,
      perMinute: number,
      burst: number,
      tokens: number,
    ): Result<[string, number, number], Context>;
    tollgateBeginFill(
      generation: string,
      fresh: string,
      generationLifeMs: number,
      recordLifeMs: number,
    ): Result<[string, string], Context>;
    tollgateEndFill(
      generation: string,
      entry: string,
      seen: string,
      diesAt: string,
      record: string,
    ): Result<number, Context>;
    tollgateBuryKey(
      generation: string,
      entry: string,
      fresh: string,
      generationLifeMs: number,
      tombstoneLifeMs: number,
    ): Result<number, Context>;
    tollgateForgetKey(
      generation: string,
      entry: string,
      fresh: string,
      generationLifeMs: number,
    ): Result<number, Context>;
  }
}

/**
 * The cache of live keys in Redis, which auth fills and ingresses read. It is never the authority: whatever it loses or
 * brings back, a deleted key stays dead, because an ingress looks at its recent revocations first.
 *
 * Every method rejects when Redis does not answer.
 */
export class KeyCache {
  readonly #redis: RedisClient;

  constructor(redis: RedisClient) {
    this.#redis = redis;
    // The count of keys is fixed for each, so that a cluster client finds the slot in the first argument.
    redis.defineCommand('tollgateReadKey', { lua: READ_KEY, numberOfKeys: 1 });
    redis.defineCommand('tollgateReadKeyAndTake', { lua: READ_KEY, numberOfKeys: 2 });
    redis.defineCommand('tollgateBeginFill', { lua: BEGIN_FILL, numberOfKeys: 1 });
    redis.defineCommand('tollgateEndFill', { lua: END_FILL, numberOfKeys: 2 });
    redis.defineCommand('tollgateBuryKey', { lua: BURY_KEY, numberOfKeys: 2 });
    redis.defineCommand('tollgateForgetKey', { lua: FORGET_KEY, numberOfKeys: 2 });
  }

  /** Reads a key, and takes one token when asked and the key is live: one round trip. */
  async read(accountTag: string, sha256: string, take?: BucketTake): Promise<KeyReading> {
    return this.#read(accountTag, sha256, take, '0');
  }

  /** Takes one token for a key that auth has just vouched for. */
  async take(accountTag: string, sha256: string, take: BucketTake): Promise<KeyReading> {
    return this.#read(accountTag, sha256, take, '1');
  }

  /** To be called before the database is read. */
  async beginFill(accountTag: string): Promise<Fill> {
    const [generation, diesAt] = await this.#redis.tollgateBeginFill(
      generationName(accountTag),
      newGeneration(),
      GENERATION_LIFE_MS,
      RECORD_LIFE_MS,
    );
    return { generation, diesAt };
  }

  /** Stores a key read since `beginFill`; false when something happened in between that may have made it stale. */
  async endFill(fill: Fill, sha256: string, key: CachedKey): Promise<boolean> {
    const stored = await this.#redis.tollgateEndFill(
      generationName(key.accountTag),
      entryName(key.accountTag, sha256),
      fill.generation,
      fill.diesAt,
      encodeRecord(key),
    );
    return stored === 1;
  }

  /** Puts a tombstone in the place of a deleted key and ends all fills of its account that have begun. */
  async bury(accountTag: string, sha256: string): Promise<void> {
    await this.#redis.tollgateBuryKey(
      generationName(accountTag),
      entryName(accountTag, sha256),
      newGeneration(),
      GENERATION_LIFE_MS,
      TOMBSTONE_LIFE_MS,
    );
  }

  /** Removes the records of keys of one account that have changed, and ends all fills of the account that have begun. */
  async forget(accountTag: string, sha256s: readonly string[]): Promise<void> {
    const generation = newGeneration();
    await Promise.all(
      sha256s.map((sha256) =>
        this.#redis.tollgateForgetKey(
          generationName(accountTag),
          entryName(accountTag, sha256),
          generation,
          GENERATION_LIFE_MS,
        ),
      ),
    );
  }

  async #read(
    accountTag: string,
    sha256: string,
    take: BucketTake | undefined,
    always: '0' | '1',
  ): Promise<KeyReading> {
    const entry = entryName(accountTag, sha256);
    const [text, retryAfterMs] =
      take === undefined
        ? await this.#redis.tollgateReadKey(entry, always)
        : await this.#redis.tollgateReadKeyAndTake(
            entry,
            bucketName(accountTag, take.bucket),
            always,
            take.perMinute,
            take.burst,
            1,
          );
    if (text === 'D') return DEAD;
    const key = text === '' ? undefined : decodeRecord(text, accountTag);
    if (key !== undefined) return { state: { kind: 'live', key }, retryAfterMs };
    return retryAfterMs === 0 ? MISSING : { state: MISSING.state, retryAfterMs };
  }
}

const DEAD: KeyReading = { state: { kind: 'dead' }, retryAfterMs: 0 };
const MISSING: KeyReading = { state: { kind: 'missing' }, retryAfterMs: 0 };

/** The name of a key's entry. */
export function entryName(accountTag: string, sha256: string): string {
  return `tollgate:{${accountTag}}:key:${sha256}`;
}

function generationName(accountTag: string): string {
  return `tollgate:{${accountTag}}:generation`;
}

function bucketName(accountTag: string, bucket: string): string {
  return `tollgate:{${accountTag}}:bucket:${bucket}`;
}

function newGeneration(): string {
  return randomBytes(12).toString('base64url');
}

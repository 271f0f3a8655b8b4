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

/** What the cache says of a key. */
export type KeyReading = { kind: 'live'; key: CachedKey } | { kind: 'dead' } | { kind: 'missing' };

/** A fill that has begun: the generation seen, and the time its record will die at. */
export interface Fill {
  generation: string;
  diesAt: string;
}

declare module 'ioredis' {
  interface RedisCommander<Context> {
    tollgateReadKey(entry: string): Result<string, Context>;
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
    redis.defineCommand('tollgateBeginFill', { lua: BEGIN_FILL, numberOfKeys: 1 });
    redis.defineCommand('tollgateEndFill', { lua: END_FILL, numberOfKeys: 2 });
    redis.defineCommand('tollgateBuryKey', { lua: BURY_KEY, numberOfKeys: 2 });
    redis.defineCommand('tollgateForgetKey', { lua: FORGET_KEY, numberOfKeys: 2 });
  }

  async read(accountTag: string, sha256: string): Promise<KeyReading> {
    const text = await this.#redis.tollgateReadKey(entryName(accountTag, sha256));
    if (text === 'D') return DEAD;
    const key = text === '' ? undefined : decodeRecord(text, accountTag);
    return key === undefined ? MISSING : { kind: 'live', key };
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
}

const DEAD: KeyReading = { kind: 'dead' };
const MISSING: KeyReading = { kind: 'missing' };

/** The name of a key's entry. */
export function entryName(accountTag: string, sha256: string): string {
  return `tollgate:{${accountTag}}:key:${sha256}`;
}

function generationName(accountTag: string): string {
  return `tollgate:{${accountTag}}:generation`;
}

function newGeneration(): string {
  return randomBytes(12).toString('base64url');
}

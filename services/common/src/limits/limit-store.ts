import type { ClientContext, Result } from 'ioredis';
import type { RedisClient } from '../redis/client.ts';
import { CORRECT_LIMITS, TAKE_LIMITS } from './scripts.ts';

/** How long a process's count of open requests is valid unless it is renewed. */
export const OPEN_LEASE_MS = 15_000;
/** Retry delay where too many requests are open, since the end of a request cannot be predicted. */
export const OPEN_WAIT_MS = 1_000;

/** A token bucket of an account. Two processes that name the same bucket use the same one. */
export interface Bucket {
  /** Its name among the account's limits. */
  bucket: string;
  /** Tokens refilled per minute; more than 0. */
  perMinute: number;
  /** Tokens a full bucket holds. */
  size: number;
}

/** A bucket and the tokens to take from it, at most its size; a negative correction returns tokens. */
export interface BucketTake extends Bucket {
  amount: number;
}

/** This process's count of open requests in a scope of an account. */
export interface OpenCount {
  scope: string;
  count: number;
}

/** A count that includes the new request, and the maximum for all processes together. */
export interface OpenTake extends OpenCount {
  max: number;
}

/** Whether everything was taken, and the levels afterwards. */
export interface LimitsResult {
  /**
   * The limit with the longest wait, if any is reached: then nothing was taken. The index counts the buckets first, then
   * the scopes of open requests.
   */
  reached: { index: number; waitMs: number } | undefined;
  /** Tokens in each bucket afterwards, in the order of the buckets. */
  tokens: number[];
}

/** Maximum number of buckets and scopes of one call. */
const MAX_KEYS = 8;
type Size = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

type Arguments = (string | number)[];
type TakeCommands<Context extends ClientContext> = {
  [Name in `tollgateTakeLimits${Size}`]: (...args: Arguments) => Result<string, Context>;
};
type CorrectCommands<Context extends ClientContext> = {
  [Name in `tollgateCorrectLimits${Size}`]: (...args: Arguments) => Result<number, Context>;
};

declare module 'ioredis' {
  interface RedisCommander<Context extends ClientContext> extends TakeCommands<Context>, CorrectCommands<Context> {}
}

/**
 * The limits that all processes share: token buckets and counts of open requests in Redis.
 *
 * Every method rejects when Redis does not respond; then it is unknown whether anything was taken.
 */
export class LimitStore {
  readonly #redis: RedisClient;
  readonly #processName: string;

  /** @param processName unique to this process; without `=`, `;` and `@` */
  constructor(redis: RedisClient, processName: string) {
    this.#redis = redis;
    this.#processName = processName;
    // Each command has a fixed number of keys, so that a cluster client finds the slot in the first argument.
    for (let numberOfKeys = 1; numberOfKeys <= MAX_KEYS; numberOfKeys++) {
      redis.defineCommand(`tollgateTakeLimits${numberOfKeys}`, { lua: TAKE_LIMITS, numberOfKeys });
      redis.defineCommand(`tollgateCorrectLimits${numberOfKeys}`, { lua: CORRECT_LIMITS, numberOfKeys });
    }
  }

  /** Takes from all buckets and counts the request in all scopes, or does nothing: one round trip. */
  async take(accountTag: string, buckets: readonly BucketTake[], open: readonly OpenTake[]): Promise<LimitsResult> {
    const size = sizeOf(buckets.length + open.length);
    const reply = await this.#redis[`tollgateTakeLimits${size}`](
      ...namesOf(accountTag, buckets, open),
      buckets.length,
      this.#processName,
      OPEN_LEASE_MS,
      OPEN_WAIT_MS,
      ...bucketArguments(buckets),
      ...open.flatMap(({ max, count }) => [max, count]),
    );
    const [position = 0, waitMs = 0, ...tokens] = reply.split(' ').map(Number);
    return { reached: position === 0 ? undefined : { index: position - 1, waitMs }, tokens };
  }

  /** Corrects buckets and publishes this process's counts: one round trip. */
  async correct(accountTag: string, buckets: readonly BucketTake[], open: readonly OpenCount[]): Promise<void> {
    const size = sizeOf(buckets.length + open.length);
    await this.#redis[`tollgateCorrectLimits${size}`](
      ...namesOf(accountTag, buckets, open),
      buckets.length,
      this.#processName,
      OPEN_LEASE_MS,
      ...bucketArguments(buckets),
      ...open.map(({ count }) => count),
    );
  }
}

function namesOf(accountTag: string, buckets: readonly Bucket[], open: readonly OpenCount[]): string[] {
  return [
    ...buckets.map(({ bucket }) => bucketName(accountTag, bucket)),
    ...open.map(({ scope }) => openName(accountTag, scope)),
  ];
}

function bucketArguments(buckets: readonly BucketTake[]): number[] {
  return buckets.flatMap(({ perMinute, size, amount }) => [perMinute, size, amount]);
}

/** The Redis key of a bucket. */
export function bucketName(accountTag: string, bucket: string): string {
  return `tollgate:{${accountTag}}:bucket:${bucket}`;
}

/** The Redis key of a count of open requests. */
export function openName(accountTag: string, scope: string): string {
  return `tollgate:{${accountTag}}:open:${scope}`;
}

function sizeOf(keys: number): Size {
  switch (keys) {
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
      return keys;
    default:
      throw new RangeError(`one call handles 1 to ${MAX_KEYS} limits, not ${keys}`);
  }
}

import type { ClientContext, Result } from 'ioredis';
import type { RedisClient } from '../redis/client.ts';
import { SETTLE_LIMITS, TAKE_LIMITS } from './scripts.ts';

/** How long a process's count of open requests is good for without being renewed. */
export const OPEN_LEASE_MS = 15_000;
/** How long to wait before trying again where too many requests are open: nobody knows when one ends. */
export const OPEN_WAIT_MS = 1_000;

/** A token bucket of an account. Two processes that name the same bucket use the same one. */
export interface Bucket {
  /** Its name among those of the account. */
  bucket: string;
  /** Tokens that flow in per minute; more than 0. */
  perMinute: number;
  /** Tokens a full bucket holds. */
  size: number;
}

/** A bucket and the tokens to take from it: not more than its size; in a correction below 0 to give back. */
export interface BucketTake extends Bucket {
  amount: number;
}

/** This process's count of open requests in a scope of an account. */
export interface OpenCount {
  scope: string;
  count: number;
}

/** A count that includes the request that asks, and the most that all processes together may have open. */
export interface OpenTake extends OpenCount {
  most: number;
}

/** Whether everything was taken, and what there is now. */
export interface LimitsReading {
  /**
   * Undefined when all was taken. Else nothing was, and this is the place of what has to be waited for longest: in the
   * list of buckets, or after these in that of open requests.
   */
  lacking: { place: number; waitMs: number } | undefined;
  /** Tokens in each bucket after this, in the order of the buckets. */
  tokens: number[];
}

/** Most buckets and scopes of one call. */
const MAX_KEYS = 8;
type Size = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

type Arguments = (string | number)[];
type TakeCommands<Context extends ClientContext> = {
  [Name in `tollgateTakeLimits${Size}`]: (...args: Arguments) => Result<string, Context>;
};
type SettleCommands<Context extends ClientContext> = {
  [Name in `tollgateSettleLimits${Size}`]: (...args: Arguments) => Result<number, Context>;
};

declare module 'ioredis' {
  interface RedisCommander<Context extends ClientContext> extends TakeCommands<Context>, SettleCommands<Context> {}
}

/**
 * The limits that all processes share: token buckets and counts of open requests in Redis.
 *
 * Every method rejects when Redis does not answer; then it is unknown whether anything was taken.
 */
export class LimitStore {
  readonly #redis: RedisClient;
  readonly #processName: string;

  /** @param processName of this process for as long as it lives; without `=`, `;` and `@` */
  constructor(redis: RedisClient, processName: string) {
    this.#redis = redis;
    this.#processName = processName;
    // The count of keys is fixed for each, so that a cluster client finds the slot in the first argument.
    for (let numberOfKeys = 1; numberOfKeys <= MAX_KEYS; numberOfKeys++) {
      redis.defineCommand(`tollgateTakeLimits${numberOfKeys}`, { lua: TAKE_LIMITS, numberOfKeys });
      redis.defineCommand(`tollgateSettleLimits${numberOfKeys}`, { lua: SETTLE_LIMITS, numberOfKeys });
    }
  }

  /** Takes from all buckets and counts the request in all scopes, or does nothing: one round trip. */
  async take(accountTag: string, buckets: readonly BucketTake[], open: readonly OpenTake[]): Promise<LimitsReading> {
    const size = sizeOf(buckets.length + open.length);
    const reply = await this.#redis[`tollgateTakeLimits${size}`](
      ...namesOf(accountTag, buckets, open),
      buckets.length,
      this.#processName,
      OPEN_LEASE_MS,
      OPEN_WAIT_MS,
      ...bucketArguments(buckets),
      ...open.flatMap(({ most, count }) => [most, count]),
    );
    const [position = 0, waitMs = 0, ...tokens] = reply.split(' ').map(Number);
    return { lacking: position === 0 ? undefined : { place: position - 1, waitMs }, tokens };
  }

  /** Corrects buckets and publishes this process's counts: one round trip. */
  async settle(accountTag: string, buckets: readonly BucketTake[], open: readonly OpenCount[]): Promise<void> {
    const size = sizeOf(buckets.length + open.length);
    await this.#redis[`tollgateSettleLimits${size}`](
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

/** Of Redis's entry for a bucket. */
export function bucketName(accountTag: string, bucket: string): string {
  return `tollgate:{${accountTag}}:bucket:${bucket}`;
}

/** Of Redis's entry for open requests. */
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
      throw new RangeError(`1 to ${MAX_KEYS} limits are asked for at once, not ${keys}`);
  }
}

import { messageOf } from '@tollgate/common/errors';
import {
  accountTagOf,
  type BucketTake,
  type CachedKey,
  KeyCache,
  type KeyReading,
  keyPrefix,
  sha256Hex,
} from '@tollgate/common/keys/index';
import type { Logger } from '@tollgate/common/logging';
import type { RedisClient } from '@tollgate/common/redis/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import { KeyResolver } from './key-resolver.ts';
import { LocalBuckets } from './local-buckets.ts';
import { Recent } from './recent.ts';
import { type AuthenticationResult, REFUSED, type RefusedKey, UNAVAILABLE } from './result.ts';
import type { RevocationWatch } from './revocation-watch.ts';

/** How long a refusal is remembered. A suspension can be lifted, so it is asked for again soon. */
const REFUSAL_MS = 10_000;
const SUSPENSION_MS = 1_000;
/** How long an answer of auth serves while Redis does not: far less than revocations are remembered. */
const ANSWER_MS = 5_000;
const MOST_REMEMBERED = 10_000;
/** How long Redis is left alone after it failed, so that not every request waits for it. */
const REDIS_PAUSE_MS = 200;

/** The rate limit of a group of endpoints, per account. */
export interface RateTake extends BucketTake {
  bucket: 'billing';
}

export interface KeyAuthenticatorOptions {
  auth: AuthServiceClient;
  redis: RedisClient;
  revocations: Pick<RevocationWatch, 'trusted' | 'isRevoked'>;
  /** The service short name in keys. */
  serviceName: string;
  logger: Logger;
  /** The clock of `revocations`: never goes back, in milliseconds. */
  now?: () => number;
  /** Unix milliseconds. */
  wallClock?: () => number;
}

/**
 * Tells what a presented key comes to. A warm key costs one hash and one round trip to Redis. Whatever vouches for a key,
 * the revocations known here are looked at after the last wait, so that nothing read before a deletion outlives it.
 */
export class KeyAuthenticator {
  readonly #prefix: string;
  readonly #cache: KeyCache;
  readonly #resolver: KeyResolver;
  readonly #revocations: KeyAuthenticatorOptions['revocations'];
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #wallClock: () => number;
  readonly #refusals = new Recent<RefusedKey>(MOST_REMEMBERED);
  readonly #answers = new Recent<CachedKey>(MOST_REMEMBERED);
  readonly #buckets = new LocalBuckets(MOST_REMEMBERED);
  #redisPausedUntilMs = 0;

  constructor(options: KeyAuthenticatorOptions) {
    this.#prefix = keyPrefix(options.serviceName);
    this.#cache = new KeyCache(options.redis);
    this.#resolver = new KeyResolver(options.auth, options.logger);
    this.#revocations = options.revocations;
    this.#logger = options.logger;
    this.#now = options.now ?? (() => performance.now());
    this.#wallClock = options.wallClock ?? Date.now;
  }

  /** Whether a text can be a key of this service at all: its form and checksum, without a look into any store. */
  isWellFormed(text: string): boolean {
    return accountTagOf(this.#prefix, text) !== undefined;
  }

  /**
   * Authenticates a key.
   *
   * @param take a rate limit that the request counts against once its key is found good
   */
  async authenticate(text: string, take?: RateTake): Promise<AuthenticationResult> {
    const tag = accountTagOf(this.#prefix, text);
    if (tag === undefined) return REFUSED.malformed;
    const sha256 = sha256Hex(text);
    if (this.#revocations.isRevoked(sha256)) return REFUSED.deleted;
    const remembered = this.#refusals.get(sha256, this.#now());
    if (remembered !== undefined) return remembered;

    const reading = await this.#fromRedis(() => this.#cache.read(tag, sha256, take));
    if (reading?.state.kind === 'dead') return this.#refuse(sha256, REFUSED.deleted);
    if (reading?.state.kind === 'live' && this.#revocations.trusted(this.#now())) {
      return this.#judge(sha256, reading.state.key, reading.retryAfterMs);
    }
    const vouched = await this.#askAuth(tag, sha256, reading === undefined);
    if (vouched.kind !== 'active') return vouched;
    const retryAfterMs = await this.#takeLate(vouched.key, sha256, take, reading);
    return this.#judge(sha256, vouched.key, retryAfterMs);
  }

  /** The last word on a key that was vouched for; nothing is waited for from here to the answer. */
  #judge(sha256: string, key: CachedKey, retryAfterMs: number): AuthenticationResult {
    if (this.#revocations.isRevoked(sha256)) return REFUSED.deleted;
    if (key.expiresAtMs !== 0 && key.expiresAtMs <= this.#wallClock()) return REFUSED.expired;
    return retryAfterMs > 0 ? { kind: 'limited', retryAfterMs } : { kind: 'active', key };
  }

  /**
   * What auth says; while Redis does not answer also what it has said a moment ago to a process that is told of every
   * deletion. Where Redis merely has no record, the key may have changed, and is asked for anew.
   */
  async #askAuth(tag: string, sha256: string, withoutRedis: boolean): Promise<AuthenticationResult> {
    const askedAtMs = this.#now();
    const trusted = this.#revocations.trusted(askedAtMs);
    const known = trusted && withoutRedis ? this.#answers.get(sha256, askedAtMs) : undefined;
    if (known !== undefined) return { kind: 'active', key: known };
    const answer = await this.#resolver.resolve(tag, sha256, trusted);
    if (answer === undefined) return UNAVAILABLE;
    if (answer.kind === 'refused') return this.#refuse(sha256, answer);
    this.#answers.set(sha256, answer.key, askedAtMs + ANSWER_MS);
    return answer;
  }

  #refuse(sha256: string, refusal: RefusedKey): RefusedKey {
    const forMs = refusal.reason === 'account_suspended' ? SUSPENSION_MS : REFUSAL_MS;
    this.#refusals.set(sha256, refusal, this.#now() + forMs);
    return refusal;
  }

  /** Takes from the limit where the first reading did not, as it had no record or failed. */
  async #takeLate(
    key: CachedKey,
    sha256: string,
    take: RateTake | undefined,
    reading: KeyReading | undefined,
  ): Promise<number> {
    if (take === undefined) return 0;
    if (reading?.state.kind === 'live') return reading.retryAfterMs;
    const late = await this.#fromRedis(() => this.#cache.take(key.accountTag, sha256, take));
    return late === undefined ? this.#buckets.take(key.accountTag, take, this.#now()) : late.retryAfterMs;
  }

  /** Runs a command unless Redis failed a moment ago; undefined when it fails. */
  async #fromRedis(run: () => Promise<KeyReading>): Promise<KeyReading | undefined> {
    if (this.#now() < this.#redisPausedUntilMs) return undefined;
    try {
      return await run();
    } catch (error) {
      this.#redisPausedUntilMs = this.#now() + REDIS_PAUSE_MS;
      this.#logger.debug({ reason: messageOf(error) }, 'Redis did not answer');
      return undefined;
    }
  }
}

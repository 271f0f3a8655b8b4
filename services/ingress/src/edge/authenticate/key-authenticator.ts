import { messageOf } from '@tollgate/common/errors';
import {
  accountTagOf,
  type CachedKey,
  KeyCache,
  keyPrefix,
  RECORD_LIFE_MS,
  type RedisRecord,
  sha256Hex,
} from '@tollgate/common/keys/index';
import type { Logger } from '@tollgate/common/logging';
import type { RedisClient } from '@tollgate/common/redis/client';
import { LRUCache } from 'lru-cache';
import type { KeyOwner } from '../../shared/request/request-context.ts';
import { KeyResolver, type KeySource, type Resolution } from './key-resolver.ts';
import { type AuthenticationResult, MALFORMED, type RefusedKey, UNAVAILABLE } from './result.ts';
import type { RevocationWatch } from './revocation-watch.ts';
import { UNKNOWN_POSITION } from './revoked-keys.ts';
import type { KeyIdentity, KeyLookup, UnknownKeyLimiter } from './unknown-key-limiter.ts';

/** How long a refusal is remembered. */
const REFUSAL_TTL_MS = 10_000;
/** Records and refusals remembered, each. Separate caches, so that neither evicts the other. */
const MAX_REMEMBERED = 10_000;
/** How long Redis is left alone after it failed, so that not every request waits for it. */
const REDIS_PAUSE_MS = 200;

export interface KeyAuthenticatorOptions {
  auth: KeySource;
  redis: RedisClient;
  revocations: Pick<RevocationWatch, 'trusted' | 'revoked' | 'generation'>;
  unknownKeys: UnknownKeyLimiter;
  /** The service short name in keys. */
  serviceName: string;
  logger: Logger;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
  /** Unix milliseconds. */
  wallClock?: () => number;
}

/** A record of an active key, with the position and the connection generation at which it was requested. */
interface CachedRecord {
  key: CachedKey;
  position: number;
  generation: number;
}

/** A refusal, and the position at which it was requested. */
interface CachedRefusal {
  refusal: RefusedKey;
  position: number;
}

/**
 * Authenticates keys from this process's memory, else from the cache in Redis, else by calling auth.
 *
 * Memory and Redis are used only while auth's stream of changes reaches this process, and the stream always wins. The
 * changes known here are checked after the last await, so that nothing read before a deletion outlives it.
 */
export class KeyAuthenticator {
  readonly #prefix: string;
  readonly #cache: KeyCache;
  readonly #resolver: KeyResolver;
  readonly #revocations: KeyAuthenticatorOptions['revocations'];
  readonly #unknownKeys: UnknownKeyLimiter;
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #wallClock: () => number;
  readonly #records: LRUCache<string, CachedRecord>;
  readonly #refusals: LRUCache<string, CachedRefusal>;
  #redisPausedUntilMs = 0;

  constructor(options: KeyAuthenticatorOptions) {
    const { auth, logger, unknownKeys, now = () => performance.now() } = options;
    this.#prefix = keyPrefix(options.serviceName);
    this.#revocations = options.revocations;
    this.#unknownKeys = unknownKeys;
    this.#logger = logger;
    this.#now = now;
    this.#wallClock = options.wallClock ?? Date.now;
    this.#resolver = new KeyResolver({ auth, logger, unknownKeys });
    const lru = { max: MAX_REMEMBERED, perf: { now }, ttlResolution: 0 };
    this.#records = new LRUCache({ ...lru, ttl: RECORD_LIFE_MS });
    this.#refusals = new LRUCache({ ...lru, ttl: REFUSAL_TTL_MS });
    this.#cache = new KeyCache(options.redis, this.#wallClock);
  }

  /** What identifies a key, after checking its format and checksum; undefined for anything that cannot be a key. */
  identify(text: string): KeyIdentity | undefined {
    const accountTag = accountTagOf(this.#prefix, text);
    return accountTag === undefined ? undefined : { accountTag, sha256: sha256Hex(text) };
  }

  /**
   * Authenticates a key, without a promise where memory suffices.
   *
   * @param identity as returned by `identify`
   * @param network returns the network of the client, whose lookups of unknown keys are limited
   */
  authenticate(
    identity: KeyIdentity | undefined,
    network: () => string,
  ): AuthenticationResult | Promise<AuthenticationResult> {
    if (identity === undefined) return MALFORMED;
    return this.#fromMemory(identity.sha256) ?? this.#lookUp({ ...identity, network });
  }

  async #lookUp(lookup: KeyLookup): Promise<AuthenticationResult> {
    const { sha256, accountTag } = lookup;
    const retryAfterMs = this.#unknownKeys.waitMs(lookup);
    if (retryAfterMs > 0) return { kind: 'throttled', retryAfterMs };
    const result = (await this.#fromCache(accountTag, sha256)) ?? (await this.#fromAuth(accountTag, sha256));
    if (result.kind === 'refused') this.#unknownKeys.recordMiss(lookup);
    return result;
  }

  #fromMemory(sha256: string): AuthenticationResult | undefined {
    const { revoked, generation } = this.#revocations;
    if (revoked.has(sha256)) return deleted(revoked.ownerOf(sha256));
    const trusted = this.#revocations.trusted();
    const record = trusted ? this.#records.get(sha256) : undefined;
    if (record?.generation === generation && !revoked.outdated(record.key, record.position)) {
      return this.#judge(sha256, record.key);
    }
    const refused = this.#refusals.get(sha256);
    return refused !== undefined && (isFinal(refused.refusal) || (trusted && !this.#mayBeOver(refused)))
      ? refused.refusal
      : undefined;
  }

  async #fromCache(tag: string, sha256: string): Promise<AuthenticationResult | undefined> {
    const { generation } = this.#revocations;
    if (!this.#revocations.trusted()) return undefined;
    const record = await this.#read(tag, sha256);
    if (record === undefined || !this.#revocations.trusted()) return undefined;
    const { key, leftMs } = record;
    if (this.#revocations.revoked.outdated(key, UNKNOWN_POSITION)) return undefined;
    this.#unknownKeys.markKnown(sha256, tag);
    this.#records.set(sha256, { key, position: UNKNOWN_POSITION, generation }, { ttl: leftMs });
    return this.#judge(sha256, key);
  }

  async #fromAuth(tag: string, sha256: string): Promise<AuthenticationResult> {
    const { revoked, generation } = this.#revocations;
    const start = this.#now();
    const joinFrom = this.#revocations.trusted() ? 0 : Number.POSITIVE_INFINITY;
    let resolution = await this.#resolver.resolve(tag, sha256, revoked.position, joinFrom);
    if (this.#isOvertaken(resolution)) {
      // Once: this request began before any later change was complete, so a second result is current enough.
      resolution = await this.#resolver.resolve(tag, sha256, revoked.position, revoked.position);
    }
    const { result, position } = resolution;
    if (result === undefined) return UNAVAILABLE;
    if (result.kind === 'refused') {
      this.#refusals.set(sha256, { refusal: result, position });
      return result;
    }
    this.#records.set(sha256, { key: result.key, position, generation }, { start });
    return this.#judge(sha256, result.key);
  }

  /** Whether a change was observed since auth was called. */
  #isOvertaken({ result, position }: Resolution): boolean {
    if (result === undefined) return false;
    if (result.kind === 'active') return this.#revocations.revoked.outdated(result.key, position);
    return !isFinal(result) && this.#mayBeOver({ refusal: result, position });
  }

  /** Whether the key or its account has changed since. */
  #mayBeOver({ refusal: { owner }, position }: CachedRefusal): boolean {
    if (owner === undefined) return false;
    const { revoked } = this.#revocations;
    return revoked.changedSince(owner.keyId, position) || revoked.changedSince(owner.accountId, position);
  }

  /** The last check of an active key. There is no await between this and the result. */
  #judge(sha256: string, key: CachedKey): AuthenticationResult {
    if (this.#revocations.revoked.has(sha256)) return deleted(key);
    if (key.expiresAtMs !== 0 && key.expiresAtMs <= this.#wallClock())
      return { kind: 'refused', reason: 'expired', owner: key };
    return { kind: 'active', key };
  }

  /** Reads the cache; undefined where there is no record, and when Redis fails or failed a moment ago. */
  async #read(tag: string, sha256: string): Promise<RedisRecord | undefined> {
    if (this.#now() < this.#redisPausedUntilMs) return undefined;
    try {
      return await this.#cache.read(tag, sha256);
    } catch (error) {
      this.#redisPausedUntilMs = this.#now() + REDIS_PAUSE_MS;
      this.#logger.debug({ reason: messageOf(error) }, 'a key could not be read from Redis');
      return undefined;
    }
  }
}

function deleted(owner: KeyOwner | undefined): RefusedKey {
  return { kind: 'refused', reason: 'deleted', owner };
}

/** Whether nothing can reverse a refusal: deletion is final, and no key value is issued twice. */
function isFinal({ reason }: RefusedKey): boolean {
  return reason === 'deleted' || reason === 'unknown';
}

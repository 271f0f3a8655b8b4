import { messageOf } from '@tollgate/common/errors';
import {
  accountTagOf,
  type CachedKey,
  KeyCache,
  type KeyReading,
  keyPrefix,
  sha256Hex,
} from '@tollgate/common/keys/index';
import type { Logger } from '@tollgate/common/logging';
import type { RedisClient } from '@tollgate/common/redis/client';
import { type Answered, KeyResolver, type KeySource } from './key-resolver.ts';
import { Recent } from './recent.ts';
import { type AuthenticationResult, REFUSED, type RefusedKey, UNAVAILABLE } from './result.ts';
import type { RevocationWatch } from './revocation-watch.ts';
import { UNKNOWN_POSITION } from './revoked-keys.ts';

/** How long a record is believed from this process's memory while every change of it would be known. */
const BELIEF_MS = 60_000;
/** How long a refusal is remembered. */
const REFUSAL_MS = 10_000;
const MOST_REMEMBERED = 10_000;
/** How long Redis is left alone after it failed, so that not every request waits for it. */
const REDIS_PAUSE_MS = 200;

export interface KeyAuthenticatorOptions {
  auth: KeySource;
  redis: RedisClient;
  revocations: Pick<RevocationWatch, 'trusted' | 'revoked' | 'era'>;
  /** The service short name in keys. */
  serviceName: string;
  logger: Logger;
  /** A clock that never goes back, in milliseconds. */
  now?: () => number;
  /** Unix milliseconds. */
  wallClock?: () => number;
}

/** A record that something has vouched for, and the position and the era of the watch at which that was asked. */
interface Vouched {
  key: CachedKey;
  position: number;
  era: number;
}

/** A refusal, and what may have changed since. */
interface Refused {
  refusal: RefusedKey;
  keyId: string;
  accountId: string;
  position: number;
}

/**
 * Tells what a presented key comes to: from this process's memory, else from the cache in Redis, else from auth. A warm
 * key costs one hash and nothing else.
 *
 * The first two are believed only while auth's word of every change reaches this process, and never against it. Whatever
 * vouches for a key, the changes known here are looked at after the last wait, so that nothing read before a deletion
 * outlives it.
 */
export class KeyAuthenticator {
  readonly #prefix: string;
  readonly #cache: KeyCache;
  readonly #resolver: KeyResolver;
  readonly #revocations: KeyAuthenticatorOptions['revocations'];
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #wallClock: () => number;
  readonly #records = new Recent<Vouched>(MOST_REMEMBERED);
  readonly #refusals = new Recent<Refused>(MOST_REMEMBERED);
  #redisPausedUntilMs = 0;

  constructor(options: KeyAuthenticatorOptions) {
    this.#prefix = keyPrefix(options.serviceName);
    this.#cache = new KeyCache(options.redis);
    this.#revocations = options.revocations;
    this.#logger = options.logger;
    this.#now = options.now ?? (() => performance.now());
    this.#resolver = new KeyResolver({ auth: options.auth, logger: options.logger, now: this.#now });
    this.#wallClock = options.wallClock ?? Date.now;
  }

  /** Whether a text can be a key of this service at all: its form and checksum, without a look into any store. */
  isWellFormed(text: string): boolean {
    return accountTagOf(this.#prefix, text) !== undefined;
  }

  /** Whether this process can tell by itself what a key comes to, or has found it good within a day. */
  knows(text: string): boolean {
    const sha256 = sha256Hex(text);
    return this.#fromMemory(sha256) !== undefined || this.#resolver.knows(sha256);
  }

  /** Authenticates a key. */
  async authenticate(text: string): Promise<AuthenticationResult> {
    const tag = accountTagOf(this.#prefix, text);
    if (tag === undefined) return REFUSED.malformed;
    const sha256 = sha256Hex(text);
    return this.#fromMemory(sha256) ?? (await this.#fromCache(tag, sha256)) ?? (await this.#fromAuth(tag, sha256));
  }

  #fromMemory(sha256: string): AuthenticationResult | undefined {
    const { revoked, era } = this.#revocations;
    if (revoked.has(sha256)) return REFUSED.deleted;
    const nowMs = this.#now();
    const trusted = this.#revocations.trusted();
    const vouched = trusted ? this.#records.get(sha256, nowMs) : undefined;
    if (vouched?.era === era && !revoked.outdated(vouched.key, vouched.position)) {
      return this.#judge(sha256, vouched.key);
    }
    const refused = this.#refusals.get(sha256, nowMs);
    return refused !== undefined && (isFinal(refused.refusal) || (trusted && !this.#mayBeOver(refused)))
      ? refused.refusal
      : undefined;
  }

  async #fromCache(tag: string, sha256: string): Promise<AuthenticationResult | undefined> {
    const { era } = this.#revocations;
    if (!this.#revocations.trusted()) return undefined;
    const reading = await this.#read(tag, sha256);
    if (reading?.kind === 'dead') {
      this.#refusals.set(sha256, DEAD, this.#now() + REFUSAL_MS);
      return DEAD.refusal;
    }
    if (reading?.kind !== 'live' || !this.#revocations.trusted()) return undefined;
    const { key } = reading;
    if (this.#revocations.revoked.outdated(key, UNKNOWN_POSITION)) return undefined;
    this.#resolver.welcome(sha256);
    this.#records.set(sha256, { key, position: UNKNOWN_POSITION, era }, this.#now() + BELIEF_MS);
    return this.#judge(sha256, key);
  }

  async #fromAuth(tag: string, sha256: string): Promise<AuthenticationResult> {
    const { revoked, era } = this.#revocations;
    const askedAtMs = this.#now();
    const joinFrom = this.#revocations.trusted() ? 0 : Number.POSITIVE_INFINITY;
    let answered = await this.#resolver.resolve(tag, sha256, revoked.position, joinFrom);
    if (this.#isOvertaken(answered)) {
      // Once: what was asked by now is good for this request, which began before any further change was over.
      answered = await this.#resolver.resolve(tag, sha256, revoked.position, revoked.position);
    }
    const { answer, position } = answered;
    if (answer === undefined) return UNAVAILABLE;
    if (answer.kind === 'refused') {
      this.#refusals.set(sha256, { ...answer, position }, this.#now() + REFUSAL_MS);
      return answer.refusal;
    }
    this.#records.set(sha256, { key: answer.key, position, era }, askedAtMs + BELIEF_MS);
    return this.#judge(sha256, answer.key);
  }

  /** Whether auth was asked before a change that has been learnt since. */
  #isOvertaken({ answer, position }: Answered): boolean {
    if (answer === undefined) return false;
    if (answer.kind === 'active') return this.#revocations.revoked.outdated(answer.key, position);
    return !isFinal(answer.refusal) && this.#mayBeOver({ ...answer, position });
  }

  #mayBeOver({ keyId, accountId, position }: Refused): boolean {
    const { revoked } = this.#revocations;
    return revoked.changedSince(keyId, position) || revoked.changedSince(accountId, position);
  }

  /** The last word on a key that was vouched for; nothing is waited for from here to the answer. */
  #judge(sha256: string, key: CachedKey): AuthenticationResult {
    if (this.#revocations.revoked.has(sha256)) return REFUSED.deleted;
    if (key.expiresAtMs !== 0 && key.expiresAtMs <= this.#wallClock()) return REFUSED.expired;
    return { kind: 'active', key };
  }

  /** What the cache says, unless Redis failed a moment ago; undefined when it fails. */
  async #read(tag: string, sha256: string): Promise<KeyReading | undefined> {
    if (this.#now() < this.#redisPausedUntilMs) return undefined;
    try {
      return await this.#cache.read(tag, sha256);
    } catch (error) {
      this.#redisPausedUntilMs = this.#now() + REDIS_PAUSE_MS;
      this.#logger.debug({ reason: messageOf(error) }, 'Redis did not answer');
      return undefined;
    }
  }
}

/** What a tombstone stands for. */
const DEAD: Refused = { refusal: REFUSED.deleted, keyId: '', accountId: '', position: UNKNOWN_POSITION };

/** Whether nothing can make a refused key good again: a deleted one stays dead, and no value is given twice. */
function isFinal({ reason }: RefusedKey): boolean {
  return reason === 'deleted' || reason === 'unknown';
}

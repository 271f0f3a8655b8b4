import { setTimeout as delay } from 'node:timers/promises';
import type { CachedKey } from '@tollgate/common/keys/index';
import { type BucketTake, LimitStore, type LimitsReading, OPEN_WAIT_MS } from '@tollgate/common/limits/index';
import type { Logger } from '@tollgate/common/logging';
import type { RedisClient } from '@tollgate/common/redis/client';
import { Admission } from './admission.ts';
import type { BucketLimit, Limit, RequestLimits } from './applicable.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { refillMs } from './flow.ts';
import { KnownLevels } from './known-levels.ts';
import { LocalBuckets } from './local-buckets.ts';
import { OpenCounts } from './open-counts.ts';
import { type AtCapacity, OpenRequests } from './open-requests.ts';

/** Buckets that are remembered here; one that is forgotten is asked for again, or full where Redis does not answer. */
const MAX_REMEMBERED = 20_000;
/** A token is taken for so many bytes of the body, until it is known how many were used. */
const BYTES_PER_TOKEN = 4;
/** What is told of a bucket is rounded to six decimals. */
const ALMOST_ONE = 1 - 0.000001;
/** How often the counts of open requests are told again: three times within the time they are good for. */
const RENEWAL_MS = 5_000;
/** How long the word of an ended request may take from one ingress to another. */
const OPEN_GRACE_MS = 30;
/** Counts told again at once. */
const RENEWAL_BATCH = 200;

/** How much of a limit is left. */
export interface LimitState {
  limit: BucketLimit;
  tokens: number;
}

/** What limits say to a request. Nothing was taken for one that is refused. */
export type LimitVerdict =
  | { kind: 'passed'; states: readonly LimitState[] }
  | { kind: 'refused'; limit: Limit; waitMs: number; states: readonly LimitState[] };

export interface LimiterOptions {
  redis: RedisClient;
  /** Names this process for as long as it lives: a UUID. */
  processName: string;
  logger: Logger;
  /** Requests under way at most, in all and of one account. */
  maxOpen: number;
  maxOpenPerAccount: number;
  /** A clock that never goes back, in milliseconds. */
  now?: () => number;
}

const PASSED: LimitVerdict = { kind: 'passed', states: [] };

/**
 * Holds requests to their limits. What all processes share lies in Redis, and is asked for in one round trip, for requests
 * that have limits alone. While Redis does not answer, the same limits hold for this process by itself.
 */
export class Limiter {
  readonly #store: LimitStore;
  readonly #gate: CircuitBreaker;
  readonly #now: () => number;
  readonly #open: OpenRequests;
  readonly #counts = new OpenCounts();
  readonly #known = new KnownLevels(MAX_REMEMBERED);
  readonly #local = new LocalBuckets(MAX_REMEMBERED);
  #renewal: NodeJS.Timeout | undefined;

  constructor({ redis, processName, logger, maxOpen, maxOpenPerAccount, now }: LimiterOptions) {
    this.#store = new LimitStore(redis, processName);
    this.#now = now ?? (() => performance.now());
    this.#gate = new CircuitBreaker(logger, this.#now);
    this.#open = new OpenRequests(maxOpen, maxOpenPerAccount);
  }

  /** Requests under way that were admitted. */
  get openRequests(): number {
    return this.#open.total;
  }

  /** Begins to tell Redis again and again what is open here. */
  start(): void {
    this.#renewal ??= setInterval(() => void this.#renew(), RENEWAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#renewal);
  }

  /** Gives a request of an account its place in this process, if there is one. */
  admitRequest(accountId: string): Admission | AtCapacity {
    return this.#open.enter(accountId) ?? new Admission(() => this.#open.leave(accountId));
  }

  /**
   * Takes what a request needs of all its limits, or nothing.
   *
   * @param bodyBytes length of the body, by which its tokens are estimated
   */
  async take(
    admission: Admission,
    { accountTag }: Pick<CachedKey, 'accountTag'>,
    limits: RequestLimits,
    bodyBytes: number,
  ): Promise<LimitVerdict> {
    if (limits.buckets.length + limits.open.length === 0) return PASSED;
    const verdict = await this.#takeOnce(admission, accountTag, limits, bodyBytes);
    if (verdict.kind === 'passed' || verdict.limit.kind !== 'open' || !this.#gate.isHealthy) return verdict;
    // Another ingress may have just ended a request, and its word be under way: one who asks for one after the other is
    // not refused for it.
    await delay(OPEN_GRACE_MS);
    return this.#takeOnce(admission, accountTag, limits, bodyBytes);
  }

  async #takeOnce(
    admission: Admission,
    accountTag: string,
    limits: RequestLimits,
    bodyBytes: number,
  ): Promise<LimitVerdict> {
    const refusal = this.#refuseByWhatIsKnown(accountTag, limits);
    if (refusal !== undefined) return refusal;
    const buckets = limits.buckets.map((limit) => ({ ...limit, amount: estimateOf(limit, bodyBytes) }));
    const open = limits.open.map(({ scope, max }) => ({
      scope,
      most: max,
      count: this.#counts.reserve(accountTag, scope),
    }));
    const askedAtMs = this.#now();
    const shared = await this.#gate.run(() => this.#store.take(accountTag, buckets, open));
    const reading = shared ?? this.#takeHere(accountTag, buckets, limits);
    const states = limits.buckets.map((limit, place) => ({ limit, tokens: reading.tokens[place] ?? 0 }));
    if (shared !== undefined)
      for (const state of states) this.#known.record(accountTag, state.limit, state.tokens, askedAtMs);
    if (reading.lacking !== undefined) {
      for (const { scope } of open) this.#counts.reject(accountTag, scope);
      const { place, waitMs } = reading.lacking;
      const limit = [...limits.buckets, ...limits.open][place];
      if (limit === undefined) throw new Error(`there is no limit in place ${place}`);
      return { kind: 'refused', limit, waitMs, states };
    }
    for (const { scope } of open) this.#counts.accept(accountTag, scope);
    const tokenBuckets = buckets.filter(({ kind }) => kind === 'tokens');
    const scopes = open.map(({ scope }) => scope);
    if (tokenBuckets.length + scopes.length > 0)
      admission.attach({
        recordUsage: (tokens) => this.#settle(accountTag, tokenBuckets, scopes, tokens, shared !== undefined),
      });
    return { kind: 'passed', states };
  }

  /** Refuses what Redis could only refuse: a bucket known to be empty, or a limit that this process uses up alone. */
  #refuseByWhatIsKnown(accountTag: string, { buckets, open }: RequestLimits): LimitVerdict | undefined {
    const nowMs = this.#now();
    const states = buckets.flatMap((limit): LimitState[] => {
      const tokens = this.#known.upperBound(accountTag, limit, nowMs);
      return tokens === undefined ? [] : [{ limit, tokens }];
    });
    for (const { limit, tokens } of states) {
      // Requests are never given back, tokens are: of these only Redis knows how many there are.
      if (limit.kind === 'tokens' || tokens >= ALMOST_ONE) continue;
      return { kind: 'refused', limit, waitMs: Math.ceil(refillMs(1 - tokens, limit)), states };
    }
    const full = open.find(({ scope, max }) => this.#counts.accepted(accountTag, scope) >= max);
    return full === undefined ? undefined : { kind: 'refused', limit: full, waitMs: OPEN_WAIT_MS, states };
  }

  /** What Redis's script does, by what this process knows alone. */
  #takeHere(accountTag: string, buckets: readonly BucketTake[], { open }: RequestLimits): LimitsReading {
    const nowMs = this.#now();
    const full = open.findIndex(({ scope, max }) => this.#counts.accepted(accountTag, scope) >= max);
    if (full === -1) return this.#local.take(accountTag, buckets, nowMs);
    const { tokens } = this.#local.take(accountTag, buckets.map(untaken), nowMs);
    return { lacking: { place: buckets.length + full, waitMs: OPEN_WAIT_MS }, tokens };
  }

  #settle(
    accountTag: string,
    buckets: readonly BucketTake[],
    scopes: readonly string[],
    tokens: number,
    isShared: boolean,
  ): void {
    const counts = scopes.map((scope) => ({ scope, count: this.#counts.release(accountTag, scope) }));
    const corrections = buckets
      .map((bucket) => ({ ...bucket, amount: tokens - bucket.amount }))
      .filter(({ amount }) => amount !== 0);
    if (!isShared) this.#local.correct(accountTag, corrections, this.#now());
    const shared = isShared ? corrections : [];
    if (shared.length + counts.length === 0 || !this.#gate.isHealthy) return;
    void this.#gate.run(() => this.#store.settle(accountTag, shared, counts));
  }

  async #renew(): Promise<void> {
    const counts = [...this.#counts.all()];
    for (let at = 0; at < counts.length && this.#gate.isHealthy; at += RENEWAL_BATCH) {
      const batch = counts.slice(at, at + RENEWAL_BATCH);
      await Promise.all(batch.map((count) => this.#gate.run(() => this.#store.settle(count.accountTag, [], [count]))));
    }
  }
}

/** A request is one; its tokens are guessed by its length, and never more than a full bucket has, which would never be. */
function estimateOf({ kind, size }: BucketLimit, bodyBytes: number): number {
  return kind === 'requests' ? 1 : Math.min(size, Math.ceil(bodyBytes / BYTES_PER_TOKEN));
}

/** The same bucket, of which nothing is taken, to see what it holds. */
function untaken(bucket: BucketTake): BucketTake {
  return { ...bucket, amount: 0 };
}

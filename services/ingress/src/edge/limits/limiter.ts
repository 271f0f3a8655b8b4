import { setTimeout as delay } from 'node:timers/promises';
import type { CachedKey } from '@tollgate/common/keys/index';
import { type BucketTake, LimitStore, type LimitsResult, OPEN_WAIT_MS } from '@tollgate/common/limits/index';
import type { Logger } from '@tollgate/common/logging';
import type { RedisClient } from '@tollgate/common/redis/client';
import type { CapacityReason } from '../../shared/errors/capacity.ts';
import { Admission } from '../../shared/request/admission.ts';
import type { BucketLimit, Limit, RequestLimits } from './applicable.ts';
import { KnownLevels, LocalBuckets, refillMs } from './buckets.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { OpenCounts, OpenRequests } from './open-requests.ts';

/** Buckets remembered here. One that was evicted is read from Redis again, or counts as full if Redis does not respond. */
const MAX_REMEMBERED = 20_000;
/** Bytes of the body for which one token is taken, until the usage is known. */
const BYTES_PER_TOKEN = 4;
/** Levels from Redis are rounded to six decimals. */
const ALMOST_ONE = 1 - 0.000001;
/** How often the counts of open requests are published again: three times within their lifetime. */
const RENEWAL_MS = 5_000;
/** How long it may take until an ingress knows that a client has disconnected. */
const OPEN_GRACE_MS = 30;
/** Counts published concurrently. */
const RENEWAL_BATCH = 200;

/** How much of a limit is left. */
export interface LimitState {
  limit: BucketLimit;
  tokens: number;
}

/** The decision of the limits on a request. Nothing was taken for a refused one. */
export type LimitVerdict =
  | { kind: 'passed'; states: readonly LimitState[] }
  | { kind: 'refused'; limit: Limit; waitMs: number; states: readonly LimitState[] };

export interface LimiterOptions {
  redis: RedisClient;
  /** Identifies this process: a UUID. */
  processName: string;
  logger: Logger;
  /** Maximum number of open requests, in total and for one account. */
  maxOpen: number;
  maxOpenPerAccount: number;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
}

const PASSED: LimitVerdict = { kind: 'passed', states: [] };

/**
 * Enforces the limits of requests. The shared state is in Redis and takes one round trip, only for requests that have
 * limits. While Redis does not respond, the same limits apply to each process on its own.
 */
export class Limiter {
  readonly #store: LimitStore;
  readonly #redis: CircuitBreaker;
  readonly #now: () => number;
  readonly #open: OpenRequests;
  readonly #counts = new OpenCounts();
  readonly #known = new KnownLevels(MAX_REMEMBERED);
  readonly #local = new LocalBuckets(MAX_REMEMBERED);
  #renewal: NodeJS.Timeout | undefined;

  constructor({ redis, processName, logger, maxOpen, maxOpenPerAccount, now }: LimiterOptions) {
    this.#store = new LimitStore(redis, processName);
    this.#now = now ?? (() => performance.now());
    this.#redis = new CircuitBreaker(logger, this.#now);
    this.#open = new OpenRequests(maxOpen, maxOpenPerAccount);
  }

  /** Admitted requests that are open. */
  get openRequests(): number {
    return this.#open.total;
  }

  /** Starts to publish the counts of open requests at intervals. */
  start(): void {
    this.#renewal ??= setInterval(() => void this.#renew(), RENEWAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#renewal);
  }

  /** Admits a request of an account, if this process has capacity for it. */
  admitRequest(accountId: string): Admission | CapacityReason {
    return this.#open.enter(accountId) ?? new Admission(() => this.#open.leave(accountId));
  }

  /**
   * Takes what a request needs from all its limits, or nothing. A request without limits passes without a promise.
   *
   * @param bodyBytes length of the body, by which its tokens are estimated
   */
  take(
    admission: Admission,
    { accountTag }: Pick<CachedKey, 'accountTag'>,
    limits: RequestLimits,
    bodyBytes: number,
  ): LimitVerdict | Promise<LimitVerdict> {
    if (limits.buckets.length + limits.open.length === 0) return PASSED;
    return this.#take(admission, accountTag, limits, bodyBytes);
  }

  async #take(
    admission: Admission,
    accountTag: string,
    limits: RequestLimits,
    bodyBytes: number,
  ): Promise<LimitVerdict> {
    const verdict = await this.#takeOnce(admission, accountTag, limits, bodyBytes);
    if (verdict.kind === 'passed' || verdict.limit.kind !== 'open' || !this.#redis.isHealthy) return verdict;
    // The end of a complete response is known to all ingresses before the client receives it. A client that has
    // disconnected and sends its next request is not refused either.
    await delay(OPEN_GRACE_MS);
    return this.#takeOnce(admission, accountTag, limits, bodyBytes);
  }

  async #takeOnce(
    admission: Admission,
    accountTag: string,
    limits: RequestLimits,
    bodyBytes: number,
  ): Promise<LimitVerdict> {
    const refusal = this.#refuseLocally(accountTag, limits);
    if (refusal !== undefined) return refusal;
    const buckets = limits.buckets.map((limit) => ({ ...limit, amount: estimateOf(limit, bodyBytes) }));
    const open = limits.open.map(({ scope, max }) => ({
      scope,
      max,
      count: this.#counts.reserve(accountTag, scope),
    }));
    const calledAtMs = this.#now();
    const shared = await this.#redis.run(() => this.#store.take(accountTag, buckets, open));
    const result = shared ?? this.#takeLocally(accountTag, buckets, limits);
    const states = limits.buckets.map((limit, index) => ({ limit, tokens: result.tokens[index] ?? 0 }));
    if (shared !== undefined)
      for (const state of states) this.#known.record(accountTag, state.limit, state.tokens, calledAtMs);
    if (result.reached !== undefined) {
      for (const { scope } of open) this.#counts.reject(accountTag, scope);
      const { index, waitMs } = result.reached;
      const limit = [...limits.buckets, ...limits.open][index];
      if (limit === undefined) throw new Error(`there is no limit with index ${index}`);
      return { kind: 'refused', limit, waitMs, states };
    }
    for (const { scope } of open) this.#counts.accept(accountTag, scope);
    const tokenBuckets = buckets.filter(({ kind }) => kind === 'tokens');
    const scopes = open.map(({ scope }) => scope);
    if (tokenBuckets.length + scopes.length > 0)
      admission.attach({
        recordUsage: (tokens) => this.#recordUsage(accountTag, tokenBuckets, scopes, tokens, shared !== undefined),
      });
    return { kind: 'passed', states };
  }

  /** Refuses what Redis would refuse: a bucket known to be empty, or a limit that this process alone has used up. */
  #refuseLocally(accountTag: string, { buckets, open }: RequestLimits): LimitVerdict | undefined {
    const nowMs = this.#now();
    const states = buckets.flatMap((limit): LimitState[] => {
      const tokens = this.#known.upperBound(accountTag, limit, nowMs);
      return tokens === undefined ? [] : [{ limit, tokens }];
    });
    for (const { limit, tokens } of states) {
      // Tokens may have been returned, which only Redis knows; requests never are.
      if (limit.kind === 'tokens' || tokens >= ALMOST_ONE) continue;
      return { kind: 'refused', limit, waitMs: Math.ceil(refillMs(1 - tokens, limit)), states };
    }
    const full = open.find(({ scope, max }) => this.#counts.accepted(accountTag, scope) >= max);
    return full === undefined ? undefined : { kind: 'refused', limit: full, waitMs: OPEN_WAIT_MS, states };
  }

  /** Like the script in Redis, with the state of this process alone. */
  #takeLocally(accountTag: string, buckets: readonly BucketTake[], { open }: RequestLimits): LimitsResult {
    const nowMs = this.#now();
    const full = open.findIndex(({ scope, max }) => this.#counts.accepted(accountTag, scope) >= max);
    if (full === -1) return this.#local.take(accountTag, buckets, nowMs);
    const { tokens } = this.#local.take(accountTag, buckets.map(untaken), nowMs);
    return { reached: { index: buckets.length + full, waitMs: OPEN_WAIT_MS }, tokens };
  }

  async #recordUsage(
    accountTag: string,
    buckets: readonly BucketTake[],
    scopes: readonly string[],
    tokens: number,
    isShared: boolean,
  ): Promise<void> {
    const counts = scopes.map((scope) => ({ scope, count: this.#counts.release(accountTag, scope) }));
    const corrections = buckets
      .map((bucket) => ({ ...bucket, amount: tokens - bucket.amount }))
      .filter(({ amount }) => amount !== 0);
    if (!isShared) this.#local.correct(accountTag, corrections, this.#now());
    const shared = isShared ? corrections : [];
    if (shared.length + counts.length === 0 || !this.#redis.isHealthy) return;
    await this.#redis.run(() => this.#store.correct(accountTag, shared, counts));
  }

  async #renew(): Promise<void> {
    const counts = [...this.#counts.all()];
    for (let at = 0; at < counts.length && this.#redis.isHealthy; at += RENEWAL_BATCH) {
      const batch = counts.slice(at, at + RENEWAL_BATCH);
      await Promise.all(
        batch.map((count) => this.#redis.run(() => this.#store.correct(count.accountTag, [], [count]))),
      );
    }
  }
}

/** One for requests; tokens are estimated by the body's length, at most a full bucket so that the request can ever pass. */
function estimateOf({ kind, size }: BucketLimit, bodyBytes: number): number {
  return kind === 'requests' ? 1 : Math.min(size, Math.ceil(bodyBytes / BYTES_PER_TOKEN));
}

/** The same bucket with nothing to take, to read its level. */
function untaken(bucket: BucketTake): BucketTake {
  return { ...bucket, amount: 0 };
}

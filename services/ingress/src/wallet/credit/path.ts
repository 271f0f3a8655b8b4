import { Backoff } from '@tollgate/common/backoff';
import { CAP_PERIOD_OF_LABEL } from '@tollgate/common/cap-periods';
import type { CapPeriod } from '@tollgate/proto/ledger';
import type { Lease } from './lease.ts';
import type { CreditLimits } from './types.ts';
import type { Waiter } from './waiter.ts';

/** An acquire without a response for this long is abandoned. */
const ACQUIRE_TIMEOUT_MS = 2_000;
/** An open acquire that is older is no longer waiting for a recall: the ledger is slow. */
const SLOW_ACQUIRE_MS = 1_000;
/** Responses in a row that were not enough, after which the next acquire is still sent at once. */
const MAX_QUICK_ACQUIRES = 3;
/** An account in which requests of more paths wait asks for each of them less often. */
const PATHS_AT_FULL_PACE = 8;

/** The leases that a request takes its hold from, the requests that wait for them, and the acquires, one open at a time. */
export class Path {
  /** The balance first. */
  readonly leases: readonly Lease[];
  /** In the order of their arrival. */
  readonly waiters = new Set<Waiter>();
  lastUsedMs = 0;
  readonly #limits: CreditLimits;
  /** The periods of the caps of each node. */
  readonly #periods = new Map<string, CapPeriod[]>();
  #open: { sequence: bigint; sentAtMs: number } | undefined;
  #backoff: Backoff | undefined;
  #timer: NodeJS.Timeout | undefined;
  #notBeforeMs = 0;
  #unmetResponses = 0;

  constructor(leases: readonly Lease[], limits: CreditLimits) {
    this.leases = leases;
    this.#limits = limits;
    for (const { ceiling } of leases) {
      if (ceiling === undefined) continue;
      this.#periods.set(ceiling.nodeId, [...this.periodsOf(ceiling.nodeId), CAP_PERIOD_OF_LABEL[ceiling.period]]);
    }
  }

  /** The periods in which a node has caps. */
  periodsOf(nodeId: string): readonly CapPeriod[] {
    return this.#periods.get(nodeId) ?? [];
  }

  /** The open acquire. */
  get openSequence(): bigint | undefined {
    return this.#open?.sequence;
  }

  /** Whether the ledger has what is lacked, and does not answer the open acquire for longer than a recall takes. */
  isLedgerSlow(nowMs: number): boolean {
    return this.#open !== undefined && nowMs - this.#open.sentAtMs >= SLOW_ACQUIRE_MS && this.#isLikely();
  }

  /** What to acquire of each lease: what the first request lacks, and later ones as far as the ledger had credit last. */
  shortfalls(): bigint[] {
    const targets = Array.from(this.waiters, (waiter) => waiter.target());
    return this.leases.map((lease) => shortfallOf(lease, targets));
  }

  /** Whether the ledger had what the first request lacks at its last responses. */
  #isLikely(): boolean {
    const [first] = this.waiters;
    const target = first?.target() ?? 0n;
    return this.leases.every((lease) => target - lease.freeNanos <= lease.availableNanos);
  }

  /** Records that an acquire was sent. */
  asked(sequence: bigint, nowMs: number): void {
    this.#open = { sequence, sentAtMs: nowMs };
  }

  /** Drops the open acquire, whose response can no longer come. */
  abandonAcquire(): void {
    if (this.#open === undefined) return;
    for (const lease of this.leases) lease.abandonAcquire(this.#open.sequence);
    this.#open = undefined;
  }

  /**
   * Records the response to the open acquire: until requests can be served, the next acquires come after growing pauses.
   *
   * @param paths how many of the account have waiting requests
   */
  answered(refused: boolean, nowMs: number, paths: number): void {
    this.#open = undefined;
    this.#unmetResponses += 1;
    const pauses = refused || this.#unmetResponses > MAX_QUICK_ACQUIRES;
    this.#notBeforeMs = pauses ? nowMs + this.#nextDelayMs() * Math.max(1, paths / PATHS_AT_FULL_PACE) : 0;
  }

  #nextDelayMs(): number {
    this.#backoff ??= new Backoff(this.#limits.acquireRetryMinMs, this.#limits.acquireRetryMaxMs);
    return this.#backoff.next();
  }

  /** A waiting request was served. */
  served(): void {
    this.#unmetResponses = 0;
    this.#notBeforeMs = 0;
    this.#backoff?.reset();
  }

  /** Lets the next acquire be sent at once. */
  resume(): void {
    this.#notBeforeMs = 0;
  }

  /** How long to delay the next acquire: until the open one is answered or abandoned, or because one was refused. */
  delayMs(nowMs: number): number {
    const openMs = this.#open === undefined ? 0 : this.#open.sentAtMs + ACQUIRE_TIMEOUT_MS - nowMs;
    if (openMs > 0) return openMs;
    return this.#unmetResponses < MAX_QUICK_ACQUIRES && this.#isLikely() ? 0 : this.#notBeforeMs - nowMs;
  }

  /** Calls back later, instead of any earlier call. */
  later(delayMs: number, call: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#unmetResponses = 0;
      call();
    }, delayMs);
  }

  /** Calls back no more. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}

function shortfallOf(lease: Lease, targets: readonly bigint[]): bigint {
  let shortfall = -lease.freeNanos;
  for (const [place, target] of targets.entries()) {
    if (place > 0 && shortfall + target > lease.availableNanos) break;
    shortfall += target;
  }
  return shortfall;
}

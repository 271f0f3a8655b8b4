import type { Logger } from '@tollgate/common/logging';
import type { FailureReason } from '../../shared/errors/error-texts.ts';

const INTERVAL_MS = 60_000;
/** Lines of one interval; one more line sums up the failures of all other networks. */
const MAX_LINES = 50;
/** Networks counted separately in one interval. */
const MAX_NETWORKS = 10_000;

type Counts = Partial<Record<FailureReason, number>>;

/** The metric of failed authentications. */
export interface FailureMetrics {
  failedAuthentication(reason: FailureReason): void;
}

/** Counts failed authentications, in the metrics at once and once a minute in the log: one line for each network. */
export class FailureLog {
  readonly #logger: Logger;
  readonly #metrics: FailureMetrics;
  #timer: NodeJS.Timeout | undefined;
  #counts = new Map<string, Counts>();
  #others: Counts = {};

  constructor(logger: Logger, metrics: FailureMetrics) {
    this.#logger = logger;
    this.#metrics = metrics;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#flush(), INTERVAL_MS).unref();
  }

  /** Logs what is not logged yet. */
  stop(): void {
    clearInterval(this.#timer);
    this.#flush();
  }

  /** @param network see clientNetwork */
  count(network: string, reason: FailureReason): void {
    this.#metrics.failedAuthentication(reason);
    let counts = this.#counts.get(network);
    if (counts === undefined && this.#counts.size < MAX_NETWORKS) {
      counts = {};
      this.#counts.set(network, counts);
    }
    add(counts ?? this.#others, reason, 1);
  }

  /** Logs the interval, networks with the most failures first. */
  #flush(): void {
    const networks = [...this.#counts].map(([network, reasons]) => ({ network, reasons, count: sum(reasons) }));
    const others = this.#others;
    this.#counts = new Map();
    this.#others = {};
    networks.sort((a, b) => b.count - a.count);
    for (const { network, reasons, count } of networks.slice(0, MAX_LINES)) {
      this.#logger.warn({ client_address: network, count, reasons }, 'failed authentications');
    }
    for (const { reasons } of networks.slice(MAX_LINES)) {
      for (const reason of reasonsOf(reasons)) add(others, reason, reasons[reason] ?? 0);
    }
    const count = sum(others);
    if (count > 0) this.#logger.warn({ count, reasons: others }, 'failed authentications from further addresses');
  }
}

function add(counts: Counts, reason: FailureReason, count: number): void {
  counts[reason] = (counts[reason] ?? 0) + count;
}

function sum(counts: Counts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

const REASONS = [
  'missing',
  'malformed',
  'unknown',
  'deleted',
  'expired',
  'off',
  'account_suspended',
] as const satisfies readonly FailureReason[];

function reasonsOf(counts: Counts): FailureReason[] {
  return REASONS.filter((reason) => counts[reason] !== undefined);
}

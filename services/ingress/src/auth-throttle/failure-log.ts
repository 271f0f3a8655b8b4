import type { Logger } from '@tollgate/common/logging';
import type { FailureReason } from './attempts.ts';

/** Lines of one round; the failures of further addresses are told together in one more. */
const MOST_LINES = 50;
/** Addresses that are counted apart in one round. */
const MOST_ADDRESSES = 10_000;

type Counts = Partial<Record<FailureReason, number>>;

/** Tells failed authentications by address: one line for each address and round, and a bounded number of lines in all. */
export class FailureLog {
  readonly #logger: Logger;
  #counts = new Map<string, Counts>();
  #others: Counts = {};

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  count(address: string, reason: FailureReason): void {
    let counts = this.#counts.get(address);
    if (counts === undefined) {
      if (this.#counts.size >= MOST_ADDRESSES) {
        add(this.#others, reason, 1);
        return;
      }
      counts = {};
      this.#counts.set(address, counts);
    }
    add(counts, reason, 1);
  }

  /** Tells what was counted since the last round, the most first. */
  tell(): void {
    const addresses = [...this.#counts].map(([address, reasons]) => ({ address, reasons, count: sum(reasons) }));
    const others = this.#others;
    this.#counts = new Map();
    this.#others = {};
    addresses.sort((a, b) => b.count - a.count);
    for (const { address, reasons, count } of addresses.slice(0, MOST_LINES)) {
      this.#logger.warn({ client_address: address, count, reasons }, 'failed authentications');
    }
    for (const { reasons } of addresses.slice(MOST_LINES)) {
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
  'account_suspended',
] as const satisfies readonly FailureReason[];

function reasonsOf(counts: Counts): FailureReason[] {
  return REASONS.filter((reason) => counts[reason] !== undefined);
}

import type { AccountCredit } from './account-credit.ts';
import type { Lease } from './lease.ts';
import type { OpenHold } from './open-hold.ts';
import type { Path } from './path.ts';
import type { HoldRequest, HoldResult } from './types.ts';

/** A request that waits for credit. */
export class Waiter {
  readonly request: HoldRequest;
  readonly #resolve: (result: HoldResult<OpenHold>) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #aborted: () => void;
  #place: { account: AccountCredit; path: Path } | undefined;
  /** Only responses to later acquires show what was left since the request came. */
  #sinceSequence = 0n;
  #hasFreshState = false;

  constructor(
    request: HoldRequest,
    resolve: (result: HoldResult<OpenHold>) => void,
    waitMs: number,
    end: (ending: 'aborted' | 'timed_out') => void,
  ) {
    this.request = request;
    this.#resolve = resolve;
    this.#aborted = () => end('aborted');
    // In a busy process the timer may fire while the ledger's response is still unread: that is processed first.
    this.#timer = setTimeout(() => setImmediate(end, 'timed_out'), waitMs);
    request.signal.addEventListener('abort', this.#aborted, { once: true });
  }

  /** The account in the session it waits in; changes with the session. */
  get account(): AccountCredit {
    return this.#placed().account;
  }

  get path(): Path {
    return this.#placed().path;
  }

  #placed() {
    if (this.#place === undefined) throw new Error('the request does not wait yet');
    return this.#place;
  }

  /** Whether a response has come to an acquire that was sent after the request. */
  get hasFreshState(): boolean {
    return this.#hasFreshState;
  }

  enters(account: AccountCredit, path: Path, lastSequence: bigint): void {
    this.#place = { account, path };
    this.#sinceSequence = lastSequence;
    this.#hasFreshState = false;
  }

  /** Takes note of a response to its path's acquire. @returns whether it shows what was left since the request came */
  sees(sequence: bigint): boolean {
    if (sequence > this.#sinceSequence) this.#hasFreshState = true;
    return this.#hasFreshState;
  }

  /** What to hold: its maximum cost, or what is left under the tightest ceiling if that is less. */
  target(): bigint {
    const { maxNanos, minNanos } = this.request;
    if (!this.#hasFreshState) return maxNanos;
    let nanos = maxNanos;
    for (const { leftNanos } of this.path.leases) {
      if (leftNanos !== undefined && leftNanos < nanos) nanos = leftNanos;
    }
    return nanos > minNanos ? nanos : minNanos;
  }

  /** A lease that does not suffice; of a limit rather than of the balance. */
  lacked(): Lease | undefined {
    const nanos = this.target();
    return this.path.leases.findLast((lease) => !lease.canHold(nanos));
  }

  /** Why it cannot be served, whatever other requests return: the tightest ceiling leaves less than it needs. */
  rejection(): HoldResult<never> | undefined {
    let tightest: Lease | undefined;
    let leastNanos = this.request.minNanos;
    for (const lease of this.path.leases) {
      if (lease.leftNanos === undefined || lease.leftNanos >= leastNanos) continue;
      tightest = lease;
      leastNanos = lease.leftNanos;
    }
    const limit = tightest?.status;
    return limit === undefined ? undefined : { kind: 'insufficient', limit };
  }

  finish(result: HoldResult<OpenHold>): void {
    clearTimeout(this.#timer);
    this.request.signal.removeEventListener('abort', this.#aborted);
    this.#resolve(result);
  }
}

import type { Clock, Instant } from '@tollgate/common/clock';
import { meterOf } from '@tollgate/common/telemetry';

/**
 * Until when records of keys may be trusted. Both clocks count: the monotonic one stops while a machine is suspended, and
 * the wall clock may be set back.
 */
export class Trust {
  readonly #clock: Clock;
  #until: Instant | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isValid(): boolean {
    const until = this.#until;
    return until !== undefined && this.#clock.monotonicMs() < until.monotonicMs && this.#clock.wallMs() < until.wallMs;
  }

  /** How long it lasts unless a clock jumps. */
  get leftMs(): number {
    return this.#until === undefined ? 0 : Math.max(0, this.#until.monotonicMs - this.#clock.monotonicMs());
  }

  /** Extends trust to a time after a moment, unless it lasts longer already. */
  grant(from: Instant, forMs: number): void {
    const monotonicMs = from.monotonicMs + forMs;
    if (this.#until !== undefined && monotonicMs < this.#until.monotonicMs) return;
    this.#until = { monotonicMs, wallMs: from.wallMs + forMs };
  }

  end(): void {
    this.#until = undefined;
  }
}

/**
 * Measures whether this ingress trusts its records of keys: `tollgate.revocations.trusted`, 1 or 0 now, and
 * `tollgate.revocations.trust_changes`, the number of changes to each state.
 *
 * @param trusted whether it does now
 * @returns a function to call whenever that may have changed
 */
export function createTrustMetrics(trusted: () => boolean): () => void {
  const meter = meterOf('tollgate-ingress');
  meter
    .createObservableGauge('tollgate.revocations.trusted', {
      description: 'Whether changes of keys reach this ingress, so that it trusts its records of keys.',
    })
    .addCallback((result) => result.observe(trusted() ? 1 : 0));
  const changes = meter.createCounter('tollgate.revocations.trust_changes', {
    unit: '{change}',
    description: 'How often this ingress started or stopped to trust its records of keys.',
  });
  let last = false;
  return () => {
    const now = trusted();
    if (now !== last) changes.add(1, { trusted: now });
    last = now;
  };
}

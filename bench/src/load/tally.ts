import { Durations } from '../stats/durations.ts';
import type { LoadResult } from './messages.ts';

/** Adds up the results of requests. */
export class Tally {
  requests = 0;
  failures = 0;
  events = 0;
  readonly firstByte = new Durations();
  readonly latency = new Durations();
  #firstFailure: string | undefined;
  readonly #startedAt = performance.now();

  fail(reason: string): void {
    this.failures += 1;
    this.#firstFailure ??= reason;
  }

  result(): LoadResult {
    return {
      requests: this.requests,
      failures: this.failures,
      firstFailure: this.#firstFailure,
      elapsedMs: performance.now() - this.#startedAt,
      events: this.events,
      firstByte: this.firstByte.quantiles(),
      latency: this.latency.quantiles(),
    };
  }
}

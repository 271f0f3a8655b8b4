import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

/** Durations in milliseconds; 0 without any. */
export interface Quantiles {
  count: number;
  p50: number;
  p99: number;
  p999: number;
  max: number;
}

/** Ten minutes: longer than any measurement. */
const HIGHEST_US = 600_000_000;

/** Collects durations, exact to three digits, in memory that does not grow with their number. */
export class Durations {
  readonly #histogram: RecordableHistogram = createHistogram({ lowest: 1, highest: HIGHEST_US, figures: 3 });

  add(ms: number): void {
    this.#histogram.record(Math.min(HIGHEST_US, Math.max(1, Math.round(ms * 1_000))));
  }

  quantiles(): Quantiles {
    const { count, max } = this.#histogram;
    if (count === 0) return { count, p50: 0, p99: 0, p999: 0, max: 0 };
    const at = (percent: number) => this.#histogram.percentile(percent) / 1_000;
    return { count, p50: at(50), p99: at(99), p999: at(99.9), max: max / 1_000 };
  }
}

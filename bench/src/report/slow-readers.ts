import type { SlowReading } from '../measure/slow-readers.ts';
import { differences, type Spread, spreadOf } from '../stats/compare.ts';

const MIB = 2 ** 20;

/** Clients that read a byte a second, in `bench/results.json`. */
export interface SlowReadingResults {
  readers: number;
  ingress_idle_mib: number;
  ingress_peak_mib: number;
  /** Of the 100 MB of each response, in buffers of the upstream, the gateway and the system. */
  sent_each_mib: number;
  /** The others' requests, by figure: without the readers, with them, and the difference by round. */
  others: Record<'cpu_us' | 'p50_ms' | 'p99_ms', { without: Spread; with: Spread; more: Spread }>;
  /** Null when the benchmark did not wait until the gateway cuts them, after a minute. */
  cut_by_gateway: number | null;
}

export function summariseSlowReading(measured: SlowReading): SlowReadingResults {
  const compare = (pick: (round: SlowReading['with'][number]) => number) => {
    const without = measured.without.map(pick);
    const beside = measured.with.map(pick);
    return { without: spreadOf(without), with: spreadOf(beside), more: differences(beside, without) };
  };
  return {
    readers: measured.readers,
    ingress_idle_mib: measured.idle / MIB,
    ingress_peak_mib: measured.peak / MIB,
    sent_each_mib: measured.sentEach / MIB,
    others: {
      cpu_us: compare(({ cpu }) => cpu),
      p50_ms: compare(({ latency }) => latency.p50),
      p99_ms: compare(({ latency }) => latency.p99),
    },
    cut_by_gateway: measured.cut ?? null,
  };
}

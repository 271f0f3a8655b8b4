import type { Machine } from '../machine/describe.ts';
import type { Stores } from '../machine/stores.ts';
import type { Measurements } from '../measure/run.ts';
import type { Plan } from '../plan.ts';
import { type Spread, spreadOf } from '../stats/compare.ts';
import { cpuByProcess, type Figure, figuresOf, isWithin } from './figures.ts';

/** Contents of `bench/results.json`. */
export interface Results {
  measured_at: string;
  mode: Plan['name'];
  machine: Machine & Stores;
  figures: (Figure & { within_budget: boolean | null })[];
  /** CPU microseconds per request or event, by process; the figures exclude Postgres, Redis and the upstream. */
  cpu_by_process: Record<'buffered' | 'stream' | 'event' | 'translated', Record<string, number>>;
  first_byte_rate: number;
  /** Milliseconds from the end of a response to its charge, at the same rate. */
  lookup: { p50: Spread; p99: Spread };
  /** Longest response time of a health check in milliseconds, by kind of body. */
  longest_turns: Record<string, number>;
  spans_per_request: number;
  rounds: Measurements;
}

export function summarise(plan: Plan, machine: Machine & Stores, measured: Measurements, now: Date): Results {
  return {
    measured_at: now.toISOString(),
    mode: plan.name,
    machine,
    figures: figuresOf(measured).map((figure) => ({ ...figure, within_budget: isWithin(figure) ?? null })),
    cpu_by_process: {
      buffered: cpuByProcess(measured.buffered.tollgate, (round) => round.cpuPerRequestByName),
      stream: cpuByProcess(measured.stream.tollgate, (round) => round.cpuPerRequestByName),
      event: cpuByProcess(measured.events.tollgate, (round) => round.cpuPerEventByName),
      translated: cpuByProcess(measured.translated.tollgate, (round) => round.cpuPerEventByName),
    },
    first_byte_rate: measured.firstByteRate,
    lookup: {
      p50: spreadOf(measured.lookups.map((round) => round.p50)),
      p99: spreadOf(measured.lookups.map((round) => round.p99)),
    },
    longest_turns: measured.longestTurns,
    spans_per_request: measured.spansPerRequest,
    rounds: measured,
  };
}

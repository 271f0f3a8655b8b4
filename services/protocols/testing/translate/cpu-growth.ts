/** CPU milliseconds of each stage of some work. */
export type StageTimes = Readonly<Record<string, number>>;

/** How CPU time grew when the input doubled: about 2 for linear work, 4 for quadratic. */
export interface Growth {
  readonly factor: number;
  readonly stage: string;
}

/** Shorter stages than this, in milliseconds, cannot be distinguished from noise. */
const MEASURABLE_MS = 25;

/** Linear work may appear to grow this much; work with a quadratic part grows more. */
const LINEAR_GROWTH = 2.5;

/** A run must take at least this long, in milliseconds; short work is repeated. */
const LEAST_RUN_MS = 6;

const MAX_ROUNDS = 25;

/** Adds up the CPU time of this process by stage. */
export class StageClock {
  readonly #times: Record<string, number> = {};
  #last = cpuMs();

  /** Ends a stage, which began where the one before ended. */
  lap(stage: string): void {
    const now = cpuMs();
    this.#times[stage] = (this.#times[stage] ?? 0) + now - this.#last;
    this.#last = now;
  }

  get times(): StageTimes {
    return this.#times;
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * Measures the work at `n` and at `2n`, and returns the stage that grew most, or the total. The least time of a few rounds
 * counts: other processes and garbage collection only add to it. Rounds end as soon as the growth is below `enough`.
 */
export function growthOf(prepare: (n: number) => (clock: StageClock) => void, n: number, enough: number): Growth {
  const small = prepare(n);
  const large = prepare(2 * n);
  const warmUp = total(timed(small, 1));
  const repeats = Math.max(1, Math.ceil(LEAST_RUN_MS / Math.max(warmUp, 0.1)));
  let least: { small: StageTimes; large: StageTimes } | undefined;
  let growth: Growth = { factor: Number.POSITIVE_INFINITY, stage: 'all' };
  for (let round = 0; round < MAX_ROUNDS && growth.factor >= enough; round++) {
    const measured = { small: timed(small, repeats), large: timed(large, repeats) };
    least =
      least === undefined
        ? measured
        : { small: lesser(least.small, measured.small), large: lesser(least.large, measured.large) };
    growth = mostGrown(least.small, least.large);
  }
  return growth;
}

function timed(work: (clock: StageClock) => void, repeats: number): StageTimes {
  const clock = new StageClock();
  for (let i = 0; i < repeats; i++) work(clock);
  return clock.times;
}

function lesser(a: StageTimes, b: StageTimes): StageTimes {
  return Object.fromEntries(Object.entries(a).map(([stage, ms]) => [stage, Math.min(ms, b[stage] ?? ms)]));
}

/**
 * A garbage collection falls into the same stage of each run, which then seems to have grown. So a stage is blamed only
 * if the total has grown more than linear work does.
 */
function mostGrown(small: StageTimes, large: StageTimes): Growth {
  const complete = { stage: 'all', factor: total(large) / total(small) };
  if (complete.factor < LINEAR_GROWTH) return complete;
  const stages = Object.entries(large).filter(([, ms]) => ms >= MEASURABLE_MS);
  const growths = stages.map(([stage, ms]) => ({ stage, factor: ms / (small[stage] ?? ms) }));
  return growths.reduce((most, one) => (one.factor > most.factor ? one : most), complete);
}

function total(times: StageTimes): number {
  return Object.values(times).reduce((sum, ms) => sum + ms, 0);
}

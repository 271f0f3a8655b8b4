import type { Rounds } from '../measure/rounds.ts';
import type { RouteName } from '../measure/routes.ts';
import type { Measurements } from '../measure/run.ts';
import { differences, ratios, type Spread, spreadOf } from '../stats/compare.ts';

/** A limit on a figure, from the design. */
export interface Budget {
  of: 'ratio' | 'added' | 'value';
  limit: number;
}

/** One figure of the report: medians over the rounds. */
export interface Figure {
  name: string;
  unit: 'us' | 'ms' | '1/s' | 'MiB';
  values: Partial<Record<RouteName, Spread>>;
  /** Ratio of the gateway to the bare proxy, by round. */
  ratio: Spread;
  /** The gateway's time minus the upstream's own, by round, for times that add up. */
  added?: Spread;
  budget?: Budget;
}

/** Whether a figure is within its budget; undefined if it has none. */
export function isWithin({ budget, ratio, added, values }: Figure): boolean | undefined {
  if (budget === undefined) return undefined;
  const judged = { ratio, added, value: values.tollgate }[budget.of];
  return judged !== undefined && judged.median <= budget.limit;
}

const MIB = 2 ** 20;

/** Summarizes the measurements. */
export function figuresOf({ buffered, stream, events, translated, firstByte, memory }: Measurements): Figure[] {
  const oneReading = (name: string, pick: 'idle' | 'streaming', limit: number): Figure => {
    const ours = [memory.tollgate[pick] / MIB];
    const proxy = [memory.proxy[pick] / MIB];
    const values = { tollgate: spreadOf(ours), proxy: spreadOf(proxy) };
    return { name, unit: 'MiB', values, ratio: ratios(ours, proxy), budget: { of: 'value', limit } };
  };
  return [
    figure('CPU per request, buffered response', 'us', buffered, (round) => round.cpuPerRequest, {
      of: 'ratio',
      limit: 2.5,
    }),
    figure('CPU per request, short stream', 'us', stream, (round) => round.cpuPerRequest, { of: 'ratio', limit: 2.5 }),
    figure('CPU per streamed event', 'us', events, (round) => round.cpuPerEvent, { of: 'ratio', limit: 2 }),
    figure('CPU per translated event', 'us', translated, (round) => round.cpuPerEvent, { of: 'ratio', limit: 5 }),
    figure('requests per second, buffered response', '1/s', buffered, (round) => round.perSecond),
    figure('requests per second, short stream', '1/s', stream, (round) => round.perSecond),
    figure('first byte at half load, p50', 'ms', firstByte, (round) => round.p50, { of: 'added', limit: 1 }),
    figure('first byte at half load, p99', 'ms', firstByte, (round) => round.p99, { of: 'added', limit: 5 }),
    oneReading('memory of the ingress, idle', 'idle', 120),
    oneReading(`memory of the ingress, ${memory.streams} open streams`, 'streaming', 400),
  ];
}

function figure<T>(
  name: string,
  unit: Figure['unit'],
  rounds: Rounds<T>,
  pick: (round: T) => number,
  budget?: Budget,
): Figure {
  const ours = rounds.tollgate.map(pick);
  const proxy = rounds.proxy.map(pick);
  const upstream = rounds.upstream.map(pick);
  return {
    name,
    unit,
    values: {
      tollgate: spreadOf(ours),
      proxy: spreadOf(proxy),
      ...(upstream.length === 0 ? {} : { upstream: spreadOf(upstream) }),
    },
    ratio: ratios(ours, proxy),
    ...(unit === 'ms' ? { added: differences(ours, upstream) } : {}),
    ...(budget === undefined ? {} : { budget }),
  };
}

/** CPU time by process, in microseconds per request or event: the median over the rounds. */
export function cpuByProcess<T>(
  rounds: readonly T[],
  pick: (round: T) => Record<string, number>,
): Record<string, number> {
  const [first] = rounds;
  if (first === undefined) return {};
  const names = Object.keys(pick(first));
  return Object.fromEntries(
    names.map((name) => [name, spreadOf(rounds.map((round) => pick(round)[name] ?? 0)).median]),
  );
}

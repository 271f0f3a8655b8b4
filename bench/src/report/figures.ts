import type { ComparedStreams, GatewayMeasurements } from '../measure/gateway.ts';
import type { MemoryByName } from '../measure/memory.ts';
import type { Round } from '../measure/round.ts';
import type { RouteName } from '../measure/routes.ts';
import type { MeasuredScenario } from '../measure/run.ts';
import { differences, ratios, type Spread, spreadOf } from '../stats/compare.ts';
import type { Budget } from './budget.ts';

/** One figure of the report: medians over the rounds. */
export interface Figure {
  name: string;
  unit: 'us' | 'ms' | '1/s' | 'MiB';
  values: Partial<Record<RouteName, Spread>>;
  /** The gateway's to the bare proxy's, by round. */
  ratio?: Spread | undefined;
  /** The gateway's less the bare proxy's, by round. */
  beyond?: Spread | undefined;
  budget?: Budget | undefined;
}

/** Whether a figure is within its budget; undefined if it has none. */
export function isWithin({ budget, ratio, beyond, values }: Figure): boolean | undefined {
  if (budget === undefined) return undefined;
  const judged = { ratio, beyond, value: values.gateway }[budget.of];
  return judged !== undefined && judged.median <= budget.limit;
}

/** The figures of a scenario: CPU time, and the rate or the times that it is about. */
export function scenarioFigures({ scenario, rounds }: MeasuredScenario): Figure[] {
  const { title, per, isTimed, budgets, spec, load } = scenario;
  const figures: Figure[] = [];
  // Processes of another gateway may be unknown.
  if (rounds.gateway.some(({ cpu }) => cpu > 0)) {
    figures.push(figure(`${title}: CPU per ${per}`, 'us', rounds, ({ cpu }) => cpu, budgets.cpu));
  }
  if (isTimed) {
    const [name, pick] = spec.streamed
      ? (['first byte', ({ firstByte }: Round) => firstByte] as const)
      : (['latency', ({ latency }: Round) => latency] as const);
    figures.push(
      figure(`${title}: ${name}, p50`, 'ms', rounds, (round) => pick(round).p50, budgets.p50),
      figure(`${title}: ${name}, p99`, 'ms', rounds, (round) => pick(round).p99, budgets.p99),
      figure(`${title}: ${name}, p99.9`, 'ms', rounds, (round) => pick(round).p999, undefined),
    );
  } else if (per === 'request' && load.kind === 'closed') {
    figures.push(figure(`${title}: requests per second`, '1/s', rounds, ({ perSecond }) => perSecond, undefined));
  }
  return figures;
}

function figure(
  name: string,
  unit: Figure['unit'],
  rounds: MeasuredScenario['rounds'],
  pick: (round: Round) => number,
  budget: Budget | undefined,
): Figure {
  const ours = rounds.gateway.map(pick);
  const proxy = rounds.proxy.map(pick);
  const upstream = rounds.upstream.map(pick);
  return {
    name,
    unit,
    values: {
      gateway: spreadOf(ours),
      proxy: spreadOf(proxy),
      ...(upstream.length > 0 && { upstream: spreadOf(upstream) }),
    },
    ...(unit === 'ms' ? { beyond: differences(ours, proxy) } : { ratio: ratios(ours, proxy) }),
    budget,
  };
}

const MIB = 2 ** 20;

/** Budgets of Tollgate's processes: after the start, and a minute after all load. */
const IDLE_MIB: Readonly<Record<string, number>> = { ingress: 120, auth: 80, ledger: 80, router: 80 };
/** Of the ingress with open streams, by the interval of their events in milliseconds. */
const STREAMING_MIB: ReadonlyMap<number, number> = new Map([
  [1_000, 400],
  [10_000, 1_024],
]);

/** Memory after the start, after load and with open streams, and the CPU time of their events. */
export function memoryFigures(
  { memoryIdle, openStreams }: GatewayMeasurements,
  memoryAfterLoad: MemoryByName | undefined,
): Figure[] {
  return [
    ...ofProcesses('memory after the start', memoryIdle.gateway, IDLE_MIB, memoryIdle.proxy),
    ...(memoryAfterLoad === undefined
      ? []
      : ofProcesses('memory a minute after load', memoryAfterLoad, IDLE_MIB, undefined)),
    ...openStreams.flatMap((streams) => streamFigures(streams, memoryIdle.gateway)),
  ];
}

function streamFigures({ gateway, proxy }: ComparedStreams, idle: MemoryByName): Figure[] {
  const interval = gateway.eventEveryMs === 1_000 ? 'a second' : `every ${gateway.eventEveryMs / 1_000} s`;
  const title = `${gateway.streams} open streams, an event ${interval}`;
  const limit = STREAMING_MIB.get(gateway.eventEveryMs);
  const limits = limit === undefined ? {} : { ingress: limit };
  const figures = ofProcesses(`memory with ${title}`, gateway.memory, limits, proxy.memory);
  const { ingress } = gateway.memory;
  if (ingress !== undefined) {
    const over = (ingress - (idle['ingress'] ?? 0)) / MIB;
    figures.push({
      name: `memory with ${title}, ingress over that after the start`,
      unit: 'MiB',
      values: { gateway: spreadOf([over]) },
    });
  }
  if (gateway.cpu > 0) {
    const values = { gateway: spreadOf([gateway.cpu]), proxy: spreadOf([proxy.cpu]) };
    figures.push({ name: `${title}: CPU per event`, unit: 'us', values, ratio: ratios([gateway.cpu], [proxy.cpu]) });
  }
  return figures;
}

/** The memory of each process, and of all together beside the bare proxy. */
function ofProcesses(
  title: string,
  memory: MemoryByName,
  limits: Readonly<Record<string, number>>,
  proxy: MemoryByName | undefined,
): Figure[] {
  const names = Object.keys(memory);
  if (names.length === 0) return [];
  const each = names.map((name): Figure => {
    const limit = limits[name];
    const values = { gateway: spreadOf([(memory[name] ?? 0) / MIB]) };
    return {
      name: `${title}, ${name}`,
      unit: 'MiB',
      values,
      budget: limit === undefined ? undefined : { of: 'value', limit },
    };
  });
  const total = sumOf(memory) / MIB;
  const copied = proxy === undefined ? undefined : sumOf(proxy) / MIB;
  const values = {
    gateway: spreadOf([total]),
    ...(copied !== undefined && { proxy: spreadOf([copied]) }),
  };
  const ratio = copied === undefined ? undefined : ratios([total], [copied]);
  return [...each, { name: `${title}, all processes`, unit: 'MiB', values, ratio }];
}

function sumOf(memory: MemoryByName): number {
  return Object.values(memory).reduce((sum, bytes) => sum + bytes, 0);
}

/** CPU time of each process by scenario, in microseconds per request or event: the medians over the rounds. */
export function cpuByProcess({ rounds }: MeasuredScenario): Record<string, number> {
  const [first] = rounds.gateway;
  if (first === undefined) return {};
  const names = Object.keys(first.cpuByName);
  return Object.fromEntries(
    names.map((name) => [name, spreadOf(rounds.gateway.map(({ cpuByName }) => cpuByName[name] ?? 0)).median]),
  );
}

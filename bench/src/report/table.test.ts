import { expect, it } from 'vitest';
import type { GatewayMeasurements } from '../measure/gateway.ts';
import type { Round } from '../measure/round.ts';
import { choosePlan } from '../plan.ts';
import { type Scenario, WARM_SCENARIOS } from '../scenarios.ts';
import { summarise } from './results.ts';
import { renderTable } from './table.ts';

const MIB = 2 ** 20;

function scenario(id: string): Scenario {
  const found = WARM_SCENARIOS.find((one) => one.id === id);
  if (found === undefined) throw new Error(`there is no scenario ${id}`);
  return found;
}

function rounds(cpus: number[], ms = 1): Round[] {
  const times = { count: 100, p50: ms, p99: 10 * ms, p999: 20 * ms, max: 30 * ms };
  return cpus.map((cpu) => ({
    requests: 100,
    perSecond: 1e6 / cpu,
    cpu,
    cpuByName: { ingress: cpu - 10, ledger: 10 },
    firstByte: times,
    latency: times,
  }));
}

const openStreams = (cpu: number, memory: Record<string, number>) => ({
  streams: 1_000,
  eventEveryMs: 1_000,
  events: 8_000,
  cpu,
  memory,
});

const measured: GatewayMeasurements = {
  scenarios: [
    {
      scenario: scenario('chat'),
      rounds: { gateway: rounds([200, 900, 210]), proxy: rounds([100, 450, 100]), upstream: [] },
    },
    {
      scenario: scenario('one-at-a-time'),
      rounds: { gateway: rounds([200], 1.3), proxy: rounds([100], 1), upstream: rounds([50], 0.5) },
    },
    {
      scenario: scenario('events-openai-chat-openai-chat'),
      rounds: { gateway: rounds([40]), proxy: rounds([20]), upstream: [] },
    },
  ],
  memoryIdle: { gateway: { ingress: 100 * MIB, ledger: 90 * MIB }, proxy: { proxy: 50 * MIB } },
  openStreams: [
    {
      gateway: openStreams(150, { ingress: 500 * MIB, ledger: 90 * MIB }),
      proxy: openStreams(75, { proxy: 100 * MIB }),
    },
  ],
};
const machine = { cpu: 'Some CPU', cores: 2, memory_gib: 8, system: 'Linux 6.1', node: '24.0.0' };
const results = summarise(choosePlan({}), machine, measured, new Date(0));

it('judges each figure by what its budget is of', () => {
  const judged = results.figures.flatMap(({ name, within_budget: within }) =>
    within === null ? [] : [[name, within]],
  );
  expect(judged).toEqual([
    // The median of the ratios by round, as one slow round does not count.
    ['small chat: CPU per request', true],
    ['one request at a time: latency, p50', true],
    ['one request at a time: latency, p99', false],
    ['100 events at once, openai-chat: CPU per event', false],
    ['memory after the start, ingress', true],
    ['memory after the start, ledger', false],
    ['memory with 1000 open streams, an event a second, ingress', false],
  ]);
});

it('compares times with the bare proxy, and reports those of the upstream', () => {
  const p99 = results.figures.find(({ name }) => name.endsWith('p99'));
  expect(p99?.beyond?.median).toBeCloseTo(3);
  expect(p99?.values.upstream?.median).toBe(5);
});

it('compares the memory of all processes with the proxy', () => {
  const all = results.figures.find(({ name }) => name === 'memory after the start, all processes');
  expect(all?.ratio?.median).toBe(3.8);
});

it('reports CPU time by process', () => {
  expect(results.cpu_by_process['chat']).toEqual({ ingress: 200, ledger: 10 });
});

it('has a row for every figure', () => {
  const lines = renderTable(results).split('\n');
  for (const figure of results.figures) {
    const row = lines.find((line) => line.startsWith(`| ${figure.name} |`));
    const expected =
      figure.within_budget === null ? /\| +\|$/ : figure.within_budget ? /within \|$/ : /\*\*above\*\* \|$/;
    expect(row).toMatch(expected);
  }
  expect(lines.find((line) => line.startsWith('| small chat: CPU'))).toContain('| 2.00 x (2.00 to 2.10) | 2.5 x |');
});

it('leaves CPU time out where no process of the gateway is known', () => {
  const unknown = rounds([0]).map((round) => ({ ...round, cpuByName: {} }));
  const [first] = measured.scenarios;
  if (first === undefined) throw new Error('no scenario');
  const other = {
    ...measured,
    scenarios: [{ ...first, rounds: { ...first.rounds, gateway: unknown, proxy: rounds([100]) } }],
  };
  const { figures } = summarise(choosePlan({}), machine, other, new Date(0));
  expect(figures.map(({ name }) => name)).not.toContain('small chat: CPU per request');
});

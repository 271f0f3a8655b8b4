import { expect, it } from 'vitest';
import type { LoopRound } from '../measure/closed-loop.ts';
import type { Rounds } from '../measure/rounds.ts';
import type { Measurements } from '../measure/run.ts';
import { choosePlan } from '../plan.ts';
import { summarise } from './results.ts';
import { renderTable } from './table.ts';

const MIB = 2 ** 20;

function loops(ours: number[], proxy: number[]): Rounds<LoopRound> {
  const round = (cpu: number): LoopRound => ({
    requests: 100,
    perSecond: 1e6 / cpu,
    cpuPerRequest: cpu,
    cpuPerRequestByName: { ingress: cpu - 10, ledger: 10 },
  });
  return { tollgate: ours.map(round), proxy: proxy.map(round), upstream: proxy.map(() => round(50)) };
}

const measured: Measurements = {
  buffered: loops([200, 900, 210], [100, 450, 100]),
  stream: loops([400], [100]),
  events: {
    tollgate: [{ events: 10, perSecond: 100, cpuPerEvent: 30, cpuPerEventByName: { ingress: 30 } }],
    proxy: [{ events: 10, perSecond: 100, cpuPerEvent: 20, cpuPerEventByName: { proxy: 20 } }],
    upstream: [],
  },
  translated: {
    tollgate: [{ events: 10, perSecond: 100, cpuPerEvent: 120, cpuPerEventByName: { ingress: 120 } }],
    proxy: [{ events: 10, perSecond: 100, cpuPerEvent: 20, cpuPerEventByName: { proxy: 20 } }],
    upstream: [],
  },
  firstByte: {
    tollgate: [{ requests: 10, p50: 2.5, p99: 9 }],
    proxy: [{ requests: 10, p50: 1.2, p99: 3 }],
    upstream: [{ requests: 10, p50: 1, p99: 5 }],
  },
  firstByteRate: 500,
  lookups: [2, 9, 3].map((p50) => ({ lookups: 10, p50, p99: 10 * p50 })),
  memory: {
    streams: 1000,
    tollgate: { idle: 100 * MIB, streaming: 500 * MIB },
    proxy: { idle: 50 * MIB, streaming: 100 * MIB },
  },
  longestTurns: { 'nothing else': 4, 'many parts': 85.2 },
  spansPerRequest: 3,
};
const machine = {
  cpu: 'Some CPU',
  cores: 2,
  memory_gib: 8,
  system: 'Linux 6.1',
  node: '24.0.0',
  postgres: '18.0',
  redis: '8.0',
};
const results = summarise(choosePlan({}), machine, measured, new Date(0));

it('compares the median of the ratios by round with the budget', () => {
  const judged = results.figures.map((figure) => [figure.name, figure.ratio.median, figure.within_budget]);
  expect(judged).toEqual([
    ['CPU per request, buffered response', 2, true],
    ['CPU per request, short stream', 4, false],
    ['CPU per streamed event', 1.5, true],
    ['CPU per translated event', 6, false],
    ['requests per second, buffered response', 0.5, null],
    ['requests per second, short stream', 0.25, null],
    ['first byte at half load, p50', 2.5 / 1.2, false],
    ['first byte at half load, p99', 3, true],
    ['memory of the ingress, idle', 2, true],
    ['memory of the ingress, 1000 open streams', 5, false],
  ]);
});

it('compares added time with the upstream itself', () => {
  const p50 = results.figures.find((figure) => figure.name.includes('p50'));
  expect(p50?.added?.median).toBe(1.5);
});

it('reports the median time until a charge is found', () => {
  expect(results.lookup).toMatchObject({ p50: { median: 3, min: 2, max: 9 }, p99: { median: 30 } });
  expect(renderTable(results)).toContain('p50 3.00 ms (2.00-9.00), p99 30.0 ms (20.0-90.0)');
});

it('reports CPU time by process', () => {
  expect(results.cpu_by_process.buffered).toEqual({ ingress: 200, ledger: 10 });
});

it('prints every figure and whether it is within its budget', () => {
  const lines = renderTable(results).split('\n');
  for (const figure of results.figures) {
    const line = lines.find((text) => text.startsWith(figure.name));
    expect(line?.endsWith('within') ?? null).toBe(figure.within_budget === true);
    expect(line?.endsWith('ABOVE') ?? null).toBe(figure.within_budget === false);
  }
});

it('reports the longest turn of the event loop for each kind of large body, with the goal', () => {
  expect(renderTable(results)).toContain('longest wait of a health check, many parts: 85.2 ms (goal 50 ms)');
});

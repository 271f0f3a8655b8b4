import { expect, it } from 'vitest';
import { summariseFirstRequests } from './first-requests.ts';
import { summariseGrowth } from './growth.ts';
import { renderFirstRequests, renderGrowth, renderSlowReaders, renderSoak } from './sections.ts';
import { summariseSlowReading } from './slow-readers.ts';

const MIB = 2 ** 20;

function round(cpu: number, p50: number) {
  const latency = { count: 100, p50, p99: 10 * p50, p999: 20 * p50, max: 30 * p50 };
  return { requests: 100, perSecond: 500, cpu, cpuByName: {}, firstByte: latency, latency };
}

it('leaves out what was not measured', () => {
  expect([renderFirstRequests([]), renderGrowth([]), renderSoak([]), renderSlowReaders(null)]).toEqual([
    [],
    [],
    [],
    [],
  ]);
});

it('compares first requests with a warm one, and judges what grows', () => {
  const parts = [
    { from: 51, to: 150, cpu: [600] },
    { from: 151, to: 1_000, cpu: [200] },
  ];
  const first = renderFirstRequests(summariseFirstRequests(parts));
  expect(first).toContain('| 51 to 150 | 600 us (600 to 600) | 3.00 x |');
  const at = { of: 'charges', name: 'one request, p50', unit: 'ms' } as const;
  const growth = renderGrowth(
    summariseGrowth([
      { ...at, size: 0, values: [2] },
      { ...at, size: 1_000_000, values: [3] },
    ]),
  );
  expect(growth).toContain('| 1,000,000 charges: one request, p50 | 3.00 ms | 1.50 x that of 0 | grows |');
});

it('compares other requests with and without slow readers by round', () => {
  const measured = {
    readers: 1_000,
    idle: 150 * MIB,
    peak: 400 * MIB,
    sentEach: 2 * MIB,
    without: [round(300, 1), round(900, 3)],
    with: [round(330, 1.5), round(930, 3.5)],
    cut: undefined,
  };
  const text = renderSlowReaders(summariseSlowReading(measured)).join('\n');
  expect(text).toContain('| memory of the ingress, MiB | 150 | 400 | +250 |');
  expect(text).toContain('| CPU per request of others, us | 600 | 630 | +30.0 (+30.0 to +30.0) |');
  expect(text).toContain('here they left before');
  const waited = renderSlowReaders(summariseSlowReading({ ...measured, cut: 1_000 })).join('\n');
  expect(waited).toContain('had cut 1,000 of them');
});

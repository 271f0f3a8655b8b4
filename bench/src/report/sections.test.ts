import { expect, it } from 'vitest';
import { summariseFirstRequests } from './first-requests.ts';
import { summariseGrowth } from './growth.ts';
import { renderFirstRequests, renderGrowth, renderSoak } from './sections.ts';

it('leaves out what was not measured', () => {
  expect([renderFirstRequests([]), renderGrowth([]), renderSoak([])]).toEqual([[], [], []]);
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

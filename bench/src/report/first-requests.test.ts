import { expect, it } from 'vitest';
import { summariseFirstRequests } from './first-requests.ts';

it('compares each part with a warm request, in the last part', () => {
  const parts = [
    { from: 1, to: 50, cpu: [3_000, 3_100, 9_000] },
    { from: 51, to: 150, cpu: [390, 410, 900] },
    { from: 151, to: 1_000, cpu: [200] },
  ];
  expect(summariseFirstRequests(parts).map(({ to_warm }) => to_warm)).toEqual([15.5, 2.05, 1]);
});

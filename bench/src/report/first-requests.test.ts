import { expect, it } from 'vitest';
import { summariseFirstRequests } from './first-requests.ts';

it('judges the part with the hundredth request by the cost of a warm one, in the last part', () => {
  const partsUntil = (warm: number) => [
    { from: 1, to: 50, cpu: [3_000, 3_100, 9_000] },
    { from: 51, to: 150, cpu: [390, 410, 900] },
    { from: 151, to: 1_000, cpu: [warm] },
  ];
  expect(summariseFirstRequests(partsUntil(200)).map(({ to_warm, within_budget }) => [to_warm, within_budget])).toEqual(
    [
      [15.5, null],
      [2.05, false],
      [1, null],
    ],
  );
  expect(summariseFirstRequests(partsUntil(210))[1]?.within_budget).toBe(true);
});

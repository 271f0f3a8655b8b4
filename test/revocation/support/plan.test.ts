import { seeded } from '@tollgate/test-support/random/random';
import { expect, it } from 'vitest';
import { planRun } from './plan.ts';

const names = (seed: number) => {
  const plan = planRun(seeded(seed), { lanes: 2, rounds: 2 });
  return [...plan.lanes, plan.troubles].map((list) => list.map(({ name, seed: own }) => `${name} ${own}`));
};

it('depends only on the seed', () => {
  expect(names(7)).toEqual(names(7));
  expect(names(7)).not.toEqual(names(8));
});

it('omits exactly the excluded troubles', () => {
  const all = planRun(seeded(1), { lanes: 1, rounds: 1 }).troubles.map(({ name }) => name);
  const { troubles } = planRun(seeded(1), { lanes: 1, rounds: 1, without: ['kill an ingress'] });
  expect(troubles.map(({ name }) => name)).toEqual(all.filter((name) => name !== 'kill an ingress'));
});

it('has every trouble in each round, with different choices', () => {
  const { troubles } = planRun(seeded(1), { lanes: 1, rounds: 3 });
  const counts = Map.groupBy(troubles, ({ name }) => name);
  expect([...counts.values()].map((list) => list.length)).toEqual(Array.from({ length: counts.size }, () => 3));
  expect(new Set(troubles.map(({ seed }) => seed)).size).toBe(troubles.length);
});

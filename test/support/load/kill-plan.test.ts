import { expect, it } from 'vitest';
import { killsOf, planKills, ROUND_KINDS } from './kill-plan.ts';

const OPTIONS = { seed: 7, kills: 60, ingresses: 2, ledgers: 2 };

it('depends only on the seed', () => {
  expect(planKills(OPTIONS)).toEqual(planKills(OPTIONS));
  expect(planKills({ ...OPTIONS, seed: 8 })).not.toEqual(planKills(OPTIONS));
});

it('kills the given number, with every kind of round before any repeats, and every process', () => {
  const rounds = planKills(OPTIONS);
  expect(rounds.reduce((sum, round) => sum + killsOf(round), 0)).toBeGreaterThanOrEqual(OPTIONS.kills);
  expect(new Set(rounds.slice(0, ROUND_KINDS.length).map(({ kind }) => kind))).toEqual(new Set(ROUND_KINDS));
  const victims = rounds.flatMap(({ kills }) => kills.map(({ victim }) => JSON.stringify(victim)));
  expect(new Set(victims).size).toBe(5);
});

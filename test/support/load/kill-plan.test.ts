import { expect, it } from 'vitest';
import { killsOf, planStrikes, STRIKE_KINDS } from './kill-plan.ts';

const OPTIONS = { seed: 7, kills: 60, ingresses: 2, ledgers: 2 };

it('depends only on the seed', () => {
  expect(planStrikes(OPTIONS)).toEqual(planStrikes(OPTIONS));
  expect(planStrikes({ ...OPTIONS, seed: 8 })).not.toEqual(planStrikes(OPTIONS));
});

it('kills the given number, with every kind of strike before any repeats, and every process', () => {
  const strikes = planStrikes(OPTIONS);
  expect(strikes.reduce((sum, strike) => sum + killsOf(strike), 0)).toBeGreaterThanOrEqual(OPTIONS.kills);
  expect(new Set(strikes.slice(0, STRIKE_KINDS.length).map(({ kind }) => kind))).toEqual(new Set(STRIKE_KINDS));
  const victims = strikes.flatMap(({ blows }) => blows.map(({ victim }) => JSON.stringify(victim)));
  expect(new Set(victims).size).toBe(5);
});

import { expect, it } from 'vitest';
import { choosePart } from './measure-part.ts';
import { choosePlan } from './plan.ts';

const [short, long] = [choosePlan({}), choosePlan({ LONG: '1' })];

it('measures everything unless a part is named', () => {
  expect(choosePart({}, short)).toBeUndefined();
  expect(choosePart({ BENCH_ONLY: 'growth' }, short)).toBe('growth');
});

it('refuses an unknown part, and the hour of load without LONG=1', () => {
  expect(() => choosePart({ BENCH_ONLY: 'memory' }, short)).toThrow("BENCH_ONLY: 'memory' is not one of ledger");
  expect(() => choosePart({ BENCH_ONLY: 'soak' }, short)).toThrow('needs LONG=1');
  expect(choosePart({ BENCH_ONLY: 'soak' }, long)).toBe('soak');
});

import { expect, it } from 'vitest';
import { changeInPercent } from './percent.ts';

it.each([
  ['2', '2.5', '+25 %'],
  ['2.5', '2', '−20 %'],
  ['100', '101.3', '+1.3 %'],
  ['3', '0', '−100 %'],
  ['0', '3', null],
  ['true', 'false', null],
  [null, '3', null],
  ['3', null, null],
])('from %s to %s is %s', (before, after, text) => {
  expect(changeInPercent(before, after)).toBe(text);
});

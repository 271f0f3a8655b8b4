import { expect, it } from 'vitest';
import { readCents, typedAs } from './cents.ts';

it.each([
  ['50', '50.00'],
  [' $ 12.5 ', '12.50'],
  ['$1,250.25', '1250.25'],
  ['0', '0.00'],
])('reads %j', (text, amount) => {
  expect(readCents(text)).toBe(amount);
});

it.each(['', 'fifty', '-50', '12.345', '1e3', '1234567890'])('does not read %j', (text) => {
  expect(readCents(text)).toBeNull();
});

it('writes amounts as people type them', () => {
  expect(['50.000000000', '12.50', '1250.00'].map(typedAs)).toEqual(['50', '12.50', '1250']);
});

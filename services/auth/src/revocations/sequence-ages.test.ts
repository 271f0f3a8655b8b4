import { expect, it } from 'vitest';
import { SequenceAges } from './sequence-ages.ts';

it('gives the last number that had been given so long ago, once', () => {
  const ages = new SequenceAges(100);
  expect(ages.note(5n, 1_000)).toBeUndefined();
  expect(ages.note(7n, 1_050)).toBeUndefined();
  expect(ages.note(9n, 1_099)).toBeUndefined();
  expect(ages.note(11n, 1_160)).toBe(7n);
  expect(ages.note(11n, 1_161)).toBeUndefined();
  expect(ages.note(11n, 9_000)).toBe(11n);
});

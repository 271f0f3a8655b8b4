import { expect, it } from 'vitest';
import { countNew, withoutRepeats } from './new-rows.ts';

const rows = (...ids: string[]) => ids.map((request_id) => ({ request_id }));

it('counts rows that were not loaded, wherever they are', () => {
  expect(countNew(rows('c', 'a'), rows('d', 'c', 'b', 'a'))).toEqual({ count: 2, more: false });
  expect(countNew(rows('c', 'a'), rows('c', 'a'))).toEqual({ count: 0, more: false });
  expect(countNew(rows('a'), undefined)).toEqual({ count: 0, more: false });
});

it('says that there may be more if no known row follows', () => {
  expect(countNew(rows('a'), rows('d', 'c', 'b'))).toEqual({ count: 3, more: true });
  expect(countNew(rows('a'), [])).toEqual({ count: 0, more: false });
});

it('shows each row once', () => {
  expect(withoutRepeats(rows('c', 'b', 'b', 'a'))).toEqual(rows('c', 'b', 'a'));
});

import { expect, test } from 'vitest';
import { outcomeSentence } from './outcome.ts';

test('each outcome of posting again says what happened to the money', () => {
  expect(outcomeSentence('posted', '', '0.0412')).toBe('The charge of $0.0412 is posted.');
  expect(outcomeSentence('duplicate', '', '0')).toBe('The charge was posted before. It is charged once.');
  expect(outcomeSentence('loss', '', '0')).toBe('The account could not pay. The charge is posted as a loss.');
  expect(outcomeSentence('quarantined', 'the account is unknown', '0')).toBe(
    'The charge still cannot be posted. The account is unknown.',
  );
});

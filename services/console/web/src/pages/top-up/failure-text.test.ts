import { expect, it } from 'vitest';
import { failureText } from './failure-text.ts';

it('says why a card was declined', () => {
  expect(failureText('expired_card')).toBe('The card has expired. Use another card.');
  expect(failureText('insufficient_funds')).toContain('does not have enough money');
});

it('says no more than that of cards which are reported as stolen, and of what banks keep to themselves', () => {
  for (const code of ['stolen_card', 'lost_card', 'fraudulent', 'do_not_honor', 'a_code_of_next_year', 'constructor'])
    expect(failureText(code)).toBe(failureText('card_declined'));
});

it('says that nobody paid', () => {
  expect([failureText(null), failureText('expired')]).toEqual(Array(2).fill('It was not paid in time.'));
});

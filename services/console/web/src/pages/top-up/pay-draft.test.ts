import { expect, it } from 'vitest';
import { boundsText, isLimitReached, offeredNow, type PaymentOptions, readPayment } from './pay-draft.ts';

const OPTIONS: PaymentOptions = {
  mode: 'live',
  offered_amounts: ['20.00', '50.00', '100.00'],
  min_amount: '5.00',
  max_amount: '500.00',
  daily_limit: '1000.00',
  daily_left: '1000.00',
};

it.each([
  ['$12.5', '12.50'],
  ['5', '5.00'],
  ['500', '500.00'],
])('reads the amount %s', (text, amount) => {
  expect(readPayment(text, OPTIONS)).toEqual({ amount, error: null });
});

it.each([
  ['', 'Enter an amount'],
  ['4.99', 'The least is $5.'],
  ['500.01', 'The most in one payment is $500.'],
])('refuses %j', (text, error) => {
  expect(readPayment(text, OPTIONS).error).toContain(error);
});

it('says how much the limit of a day leaves', () => {
  const near = { ...OPTIONS, daily_left: '120.50' };
  const limit = 'An account pays in at most $1,000 within 24 hours.';
  expect(readPayment('121', near).error).toBe(`$120.50 can be paid in now. ${limit}`);
  expect(readPayment('120.50', near).error).toBeNull();
  expect(boundsText(near)).toBe(`$5 to $120.50. ${limit}`);
  expect(boundsText(OPTIONS)).toBe('$5 to $500.');
});

it('offers what can be paid now', () => {
  expect(offeredNow(OPTIONS)).toEqual(['20.00', '50.00', '100.00']);
  expect(offeredNow({ ...OPTIONS, daily_left: '60' })).toEqual(['20.00', '50.00']);
  expect([isLimitReached({ ...OPTIONS, daily_left: '4.99' }), isLimitReached(OPTIONS)]).toEqual([true, false]);
});

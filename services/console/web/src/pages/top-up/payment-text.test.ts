import { expect, it } from 'vitest';
import { cardName, hasExpired, type Payment, paymentLine, refundable } from './payment-text.ts';

const SETTLED: Payment = {
  payment_id: 'p1',
  state: 'settled',
  amount: '50.00',
  credited: '50.00',
  refunded: '0.00',
  disputed: '0.00',
  checkout_url: null,
  method: 'visa 4242',
  failure: null,
  created_by: 'Ana',
  created_at: '2026-11-24T00:00:00Z',
  settled_at: '2026-11-24T00:00:01Z',
  automatic: false,
  provider_payment: 'pi_1',
};

it('names cards', () => {
  expect([cardName('amex', '0005'), cardName('visa', '4242'), cardName('link', '')]).toEqual([
    'American Express 0005',
    'Visa 4242',
    'Link',
  ]);
});

it('says with what was paid, and what went back', () => {
  expect(paymentLine(SETTLED)).toEqual({ tone: 'good', text: 'Visa 4242' });
  expect(paymentLine({ ...SETTLED, method: null }).text).toBe('Paid');
  expect(paymentLine({ ...SETTLED, refunded: '20' })).toEqual({ tone: 'good', text: 'Visa 4242, $20 refunded' });
  expect(paymentLine({ ...SETTLED, disputed: '12.5' })).toEqual({ tone: 'warn', text: 'Visa 4242, $12.50 disputed' });
});

it('says why nothing was paid', () => {
  expect(paymentLine({ ...SETTLED, state: 'pending' })).toEqual({ tone: 'neutral', text: 'Not paid yet' });
  expect(paymentLine({ ...SETTLED, state: 'pending', failure: 'expired_card' }).text).toMatch(/^Not paid yet.*expired/);
  expect(paymentLine({ ...SETTLED, state: 'failed', failure: 'expired_card' })).toEqual({
    tone: 'bad',
    text: 'The card has expired. Use another card.',
  });
});

it('leaves to pay back what was credited and has not gone back', () => {
  expect(refundable(SETTLED)).toBe('50.00');
  expect(refundable({ ...SETTLED, credited: '45.5', refunded: '20', disputed: '0.5' })).toBe('25.00');
  expect(refundable({ ...SETTLED, refunded: '50' })).toBeNull();
  expect(refundable({ ...SETTLED, disputed: '60' })).toBeNull();
  expect(refundable({ ...SETTLED, state: 'pending', credited: '0' })).toBeNull();
});

it('knows when a card has expired', () => {
  const card = { expires_month: 12, expires_year: 2_026 };
  expect(hasExpired(card, Date.parse('2026-12-31T23:59:59Z'))).toBe(false);
  expect(hasExpired(card, Date.parse('2027-01-01T00:00:00Z'))).toBe(true);
});

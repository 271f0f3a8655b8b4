import { expect, it } from 'vitest';
import { readRefund } from './refund-draft.ts';

const DRAFT = { amount: '20', reason: 'Paid twice' };

it('reads a refund', () => {
  expect(readRefund({ amount: ' $20.5', reason: ' Paid twice ' }, '50').refund).toEqual({
    amount: '20.50',
    reason: 'Paid twice',
  });
  expect(readRefund({ ...DRAFT, amount: '50' }, '50.00').errors).toBeNull();
});

it.each([
  ['amount', { amount: '' }],
  ['amount', { amount: '0' }],
  ['amount', { amount: '-5' }],
  ['amount', { amount: '1.005' }],
  ['amount', { amount: '50.01' }],
  ['reason', { reason: ' ' }],
  ['reason', { reason: 'r'.repeat(501) }],
])('names the %s as the field at fault: %j', (field, changes) => {
  expect(Object.keys(readRefund({ ...DRAFT, ...changes }, '50').errors ?? {})).toEqual([field]);
});

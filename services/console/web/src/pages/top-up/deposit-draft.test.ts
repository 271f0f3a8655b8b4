import { expect, it } from 'vitest';
import { type DepositDraft, readDeposit } from './deposit-draft.ts';

const DRAFT: DepositDraft = { kind: 'deposit', amount: '50', reason: 'invoice 1042' };

it.each([
  ['$1,250.50', '1250.50'],
  [' 12 ', '12'],
])('reads the amount %s', (amount, expected) => {
  expect(readDeposit({ ...DRAFT, amount }).deposit).toEqual({
    kind: 'deposit',
    amount: expected,
    reason: 'invoice 1042',
  });
});

it('takes back by adjustment, with either kind of minus', () => {
  for (const amount of ['-5', '−5', '−$5']) {
    expect(readDeposit({ ...DRAFT, kind: 'adjustment', amount }).deposit?.amount).toBe('-5');
  }
});

it.each<[string, Partial<DepositDraft>]>([
  ['amount', { amount: '' }],
  ['amount', { amount: '0.00' }],
  ['amount', { amount: '1.0000000001' }],
  ['amount', { amount: '-5' }],
  ['amount', { kind: 'dispute', amount: '5' }],
  ['reason', { reason: ' ' }],
  ['reason', { reason: 'r'.repeat(501) }],
])('names the %s as the field at fault: %j', (field, changes) => {
  expect(Object.keys(readDeposit({ ...DRAFT, ...changes }).errors ?? {})).toEqual([field]);
});

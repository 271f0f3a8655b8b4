import { expect, it } from 'vitest';
import { type DepositDraft, readDeposit } from './deposit-draft.ts';

const DRAFT: DepositDraft = { kind: 'deposit', amount: '50', reason: 'invoice 1042', lotKind: undefined, lastDay: '' };
const NOW_MS = Date.parse('2026-12-01T12:00:00Z');

it.each([
  ['$1,250.50', '1250.50'],
  [' 12 ', '12'],
])('reads the amount %s', (amount, expected) => {
  expect(readDeposit({ ...DRAFT, amount }, NOW_MS).deposit).toEqual({
    kind: 'deposit',
    amount: expected,
    reason: 'invoice 1042',
  });
});

it('takes back by adjustment, with either kind of minus', () => {
  for (const amount of ['-5', '−5', '−$5']) {
    expect(readDeposit({ ...DRAFT, kind: 'adjustment', amount }, NOW_MS).deposit?.amount).toBe('-5');
  }
});

it('ends credit with its last day, and not what takes credit back', () => {
  const draft: DepositDraft = { ...DRAFT, kind: 'adjustment', lotKind: 'contractual', lastDay: '2026-12-01' };
  expect(readDeposit(draft, NOW_MS).deposit).toEqual({
    kind: 'adjustment',
    amount: '50',
    reason: 'invoice 1042',
    lot_kind: 'contractual',
    ends_at: '2026-12-02T00:00:00.000Z',
  });
  expect(readDeposit({ ...draft, amount: '-50' }, NOW_MS).deposit).toEqual({
    kind: 'adjustment',
    amount: '-50',
    reason: 'invoice 1042',
  });
});

it.each<[string, Partial<DepositDraft>]>([
  ['ends_at', { lastDay: '2026-11-30' }],
  ['ends_at', { lastDay: 'soon' }],
  ['amount', { amount: '' }],
  ['amount', { amount: '0.00' }],
  ['amount', { amount: '1.0000000001' }],
  ['amount', { amount: '-5' }],
  ['amount', { kind: 'dispute', amount: '5' }],
  ['reason', { reason: ' ' }],
  ['reason', { reason: 'r'.repeat(501) }],
])('names the %s as the field at fault: %j', (field, changes) => {
  expect(Object.keys(readDeposit({ ...DRAFT, ...changes }, NOW_MS).errors ?? {})).toEqual([field]);
});

import { expect, test } from 'vitest';
import { actionTitle, targetHref, targetText } from './actions.ts';

test.each([
  ['key.delete', 'Delete key'],
  ['management_key.create', 'Create management key'],
  ['password.create_reset', 'Create password reset link'],
  ['ledger.reconcile', 'Reconcile ledger'],
  ['payment_method.delete', 'Remove saved card'],
  ['project_member.update', 'Limit member in project'],
  ['account', 'Account'],
])('%s is "%s"', (action, title) => {
  expect(actionTitle(action)).toBe(title);
});

test('the target of an entry is its name, of a deposit also the amount, or else the id', () => {
  const entry = { action: 'key.create', target_id: 'id', target_name: 'ci', details: { amount: '1' } };
  expect(targetText(entry)).toBe('ci');
  expect(targetText({ ...entry, target_name: '' })).toBe('id');
  const deposit = { ...entry, action: 'deposit.create', target_name: 'adjustment', details: { amount: '-10.5' } };
  expect(targetText(deposit)).toBe('Adjustment of −$10.50');
  const refund = { ...entry, action: 'payment.refund', target_name: '', details: { amount: '20' } };
  expect(targetText(refund)).toBe('$20.00 of a payment');
});

test.each([
  ['key.create', '/accounts/a1/keys/t1'],
  ['member.update', '/accounts/a1/members?member=t1'],
  ['project.update', '/accounts/a1/projects/t1'],
  ['deposit.create', '/accounts/a1/top-up'],
  ['payment.refund', '/accounts/a1/top-up?payment=t1'],
  ['payment_method.delete', '/accounts/a1/top-up'],
  ['account.suspend', '/accounts/a1/settings'],
  ['ledger.reconcile', null],
])('the target of %s is at %s', (action, href) => {
  const entry = { action, account_id: 'a1', target_id: 't1', target_name: '', details: {} };
  expect(targetHref(entry)).toBe(href);
  expect(targetHref({ ...entry, account_id: null })).toBeNull();
});

import { expect, test } from 'vitest';
import { actionTitle } from './actions.ts';

test.each([
  ['key.delete', 'Delete key'],
  ['management_key.create', 'Create management key'],
  ['password.create_reset', 'Create password reset link'],
  ['ledger.reconcile', 'Reconcile ledger'],
  ['account', 'Account'],
])('%s is "%s"', (action, title) => {
  expect(actionTitle(action)).toBe(title);
});

import { expect, test } from 'vitest';
import type { Session } from '../api/session.ts';
import { accountContext, mayOpen } from './account-context.tsx';

const SESSION: Session = {
  session_id: 'session',
  person: { person_id: 'p', email: 'p@example.com', name: 'P', is_operator: false, has_password: true },
  memberships: [{ account_id: 'a', account_name: 'Team', role: 'admin' }],
  view_as: null,
  expires_at: '2026-11-24T00:00:00Z',
};
const OPERATOR: Session = { ...SESSION, person: { ...SESSION.person, is_operator: true } };

test('a member has the role of the membership', () => {
  const account = accountContext('a', SESSION);
  expect([account.name, account.role, account.may('admin'), account.may('owner')]).toEqual([
    'Team',
    'admin',
    true,
    false,
  ]);
  expect(account.href('/keys')).toBe('/accounts/a/keys');
});

test('an operator acts as one in every account, also as a member', () => {
  expect(accountContext('a', OPERATOR).role).toBe('operator');
  expect(accountContext('b', OPERATOR)).toMatchObject({ role: 'operator', name: null });
});

test('an operator who views an account sees what an owner sees, and may change nothing', () => {
  const account = accountContext('b', { ...OPERATOR, view_as: { account_id: 'b', account_name: 'Viewed' } });
  expect(account).toMatchObject({ role: 'owner', name: 'Viewed', readOnly: true });
  expect([account.is('owner'), account.may('owner'), account.may('operator')]).toEqual([true, false, false]);
});

test('someone who is not a member has the role that may do least', () => {
  const account = accountContext('b', SESSION);
  expect([account.may('operator', 'owner', 'admin', 'developer'), account.name]).toEqual([false, null]);
});

test('people open their own accounts, operators all, or only the one that they view', () => {
  const viewing = { ...OPERATOR, view_as: { account_id: 'b', account_name: 'Viewed' } };
  expect([mayOpen('a', SESSION), mayOpen('b', SESSION)]).toEqual([true, false]);
  expect([mayOpen('a', OPERATOR), mayOpen('b', OPERATOR)]).toEqual([true, true]);
  expect([mayOpen('a', viewing), mayOpen('b', viewing)]).toEqual([false, true]);
});

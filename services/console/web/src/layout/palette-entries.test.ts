import { expect, test } from 'vitest';
import { accountContext, type RoleName } from '../account/account-context.tsx';
import type { Session } from '../api/session.ts';
import { foundEntries, foundInAllEntries, matches, pageEntries } from './palette-entries.ts';

const ACCOUNT = '0199aaaa-bbbb-7ccc-8ddd-000000000001';

function sessionAs(role: RoleName, viewAs = false): Session {
  return {
    session_id: 'session',
    person: { person_id: 'p', email: 'p@example.com', name: 'P', is_operator: role === 'operator', has_password: true },
    memberships: role === 'operator' ? [] : [{ account_id: ACCOUNT, account_name: 'Team', role }],
    view_as: viewAs ? { account_id: ACCOUNT, account_name: 'Team' } : null,
    expires_at: '2026-11-24T00:00:00Z',
  };
}

function titles(text: string, session: Session): string[] {
  const account = accountContext(ACCOUNT, session);
  return pageEntries(text, account, session, { onHelp: () => undefined, onSignOut: () => undefined }).map(
    ({ title }) => title,
  );
}

test('each word starts a word of the title', () => {
  expect(matches('aud log', 'Audit log')).toBe(true);
  expect(matches('log aud', 'Audit log')).toBe(true);
  expect(matches('udit', 'Audit log')).toBe(false);
  expect(matches('', 'Audit log')).toBe(true);
});

test('a role finds only its pages and actions', () => {
  expect(titles('key', sessionAs('developer'))).toEqual([
    'Keys',
    'Create key',
    'Find a leaked key',
    'Keyboard shortcuts',
  ]);
  expect(titles('key', sessionAs('billing'))).toEqual(['Keyboard shortcuts']);
  expect(titles('audit', sessionAs('owner'))).toEqual(['Audit log']);
  expect(titles('audit', sessionAs('operator'))).toEqual(['Audit log', 'Audit log of all accounts']);
});

test('an operator who views an account sees its pages and changes nothing', () => {
  const session = sessionAs('operator', true);
  expect(titles('key', session)).toEqual(['Keys', 'Management keys', 'Keyboard shortcuts']);
  expect(titles('accounts', session)).toEqual([]);
});

test('a key that was found can be deleted by those who may', () => {
  const key = { kind: 'key' as const, id: 'k/1', title: 'ci-runner', subtitle: '…x9Qa' };
  const hrefs = (role: RoleName) =>
    foundEntries([key], accountContext(ACCOUNT, sessionAs(role))).map(({ href }) => href);
  expect(hrefs('owner')).toEqual([`/accounts/${ACCOUNT}/keys/k%2F1`, `/accounts/${ACCOUNT}/keys/k%2F1?delete=1`]);
  expect(hrefs('billing')).toEqual([`/accounts/${ACCOUNT}/keys/k%2F1`]);
});

test('a search in all accounts names the account, and leaves out what the search of the account has found', () => {
  const inAll = { account_id: 'a2', account_name: 'Other', title: 'ci', subtitle: '…1234 active' };
  const results = [
    { ...inAll, kind: 'account' as const, id: 'a2', title: 'Other', subtitle: 'a2' },
    { ...inAll, kind: 'key' as const, id: 'k2' },
    { ...inAll, kind: 'request' as const, id: 'r1' },
  ];
  const known = [{ kind: 'request' as const, id: 'r1', title: 'model', subtitle: '' }];
  expect(foundInAllEntries(results, known)).toEqual([
    { id: 'account a2', kind: 'Account', title: 'Other', subtitle: 'a2', href: '/accounts/a2/overview' },
    { id: 'key k2', kind: 'Key', title: 'ci', subtitle: 'Other …1234 active', href: '/accounts/a2/keys/k2' },
    {
      id: 'delete k2',
      kind: 'Action',
      title: 'Delete key ci',
      subtitle: 'Other …1234 active',
      href: '/accounts/a2/keys/k2?delete=1',
    },
  ]);
});

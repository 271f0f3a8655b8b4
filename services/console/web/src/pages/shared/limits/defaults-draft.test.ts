import { expect, it } from 'vitest';
import { type Defaults, type DefaultsChanges, defaultsChanges, defaultsDraftOf } from './defaults-draft.ts';
import type { Errors } from './draft.ts';

const NONE = { day: null, week: null, month: null, total: null };
const DEFAULTS: Defaults = {
  each_key: { ...NONE, day: '50.000000000' },
  each_member: NONE,
  each_service_account: NONE,
  each_session: '5.000000000',
};

function changed(texts: Record<string, string>): { changes: DefaultsChanges; errors: Errors } {
  const before = defaultsDraftOf(DEFAULTS);
  const errors: Errors = {};
  return { changes: defaultsChanges(before, { ...before, ...texts }, errors), errors };
}

it('sends the groups that differ, each as a whole', () => {
  expect(changed({})).toEqual({ changes: {}, errors: {} });
  expect(changed({ 'each_key.month': '$1,000.50' }).changes).toEqual({
    each_key: { ...NONE, day: '50', month: '1000.50' },
  });
  expect(changed({ 'each_key.day': '' }).changes).toEqual({ each_key: NONE });
  expect(changed({ 'each_member.total': '7' }).changes).toEqual({ each_member: { ...NONE, total: '7' } });
});

it('removes the maximum of sessions by 0', () => {
  expect(changed({ each_session: '' }).changes).toEqual({ each_session: '0' });
  expect(changed({ each_session: '0.25' }).changes).toEqual({ each_session: '0.25' });
});

it('names the field that is wrong', () => {
  expect(Object.keys(changed({ 'each_service_account.week': 'ten', each_session: '-1' }).errors)).toEqual([
    'each_service_account.week',
    'each_session',
  ]);
});

it('sends nothing of what an owner or a key does not set', () => {
  const before = defaultsDraftOf({ each_session: null });
  expect(defaultsChanges(before, { ...before, each_session: '3' }, {})).toEqual({ each_session: '3' });
});

it('has a maximum of 0 for sessions as it is', () => {
  expect(defaultsDraftOf({ each_key: { ...NONE, day: '0' } })['each_key.day']).toBe('0');
});

import { expect, it } from 'vitest';
import { changesOf, draftOf, EMPTY_DRAFT, type Key, type KeyDraft, readDraft } from './draft.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');

const KEY: Key = {
  parent_key_id: null,
  each_session: null,
  exceeds_defaults: false,
  applied_caps: { day: null, week: null, month: null, total: null, session: null },
  key_id: '0199c0d0-1111-7000-8000-000000000000',
  account_id: '0199c0d0-2222-7000-8000-000000000000',
  name: 'ci-runner',
  status: 'active',
  display_prefix: 'sk-tollgate-Exampl',
  last_four: 'NhRC',
  created_at: '2026-11-01T00:00:00Z',
  created_by: null,
  expires_at: '2027-01-01T10:30:00Z',
  deleted_at: null,
  allowed_models: ['gpt-5.6'],
  caps: { day: null, week: null, month: '25.500000000', total: null },
  limits: { requests_per_minute: 60, tokens_per_minute: null, open_requests: null },
  tags: { team: 'search' },
  last_used_at: null,
  previous_value_until: null,
  cap_usage: [],
  spent_this_month: '0',
  project_id: '0199c0d0-2222-7000-8000-000000000000',
  project_name: 'default',
  owner: null,
};

function errorsOf(changes: Partial<KeyDraft>): Record<string, string> {
  return readDraft({ ...EMPTY_DRAFT, name: 'ci', ...changes }, NOW).errors ?? {};
}

it('needs nothing but a name', () => {
  expect(readDraft({ ...EMPTY_DRAFT, name: '  ci ' }, NOW).body).toEqual({
    name: 'ci',
    expires_at: null,
    allowed_models: [],
    limits: { requests_per_minute: null, tokens_per_minute: null, open_requests: null },
    caps: { day: null, week: null, month: null, total: null },
    tags: {},
    each_session: '0',
    exceeds_defaults: false,
  });
});

it('reads what a key has back into the same key', () => {
  const { body } = readDraft(draftOf(KEY), NOW);
  expect(body).toMatchObject({
    name: KEY.name,
    allowed_models: KEY.allowed_models,
    limits: KEY.limits,
    caps: { day: null, week: null, month: '25.5', total: null },
    tags: KEY.tags,
  });
  expect(Date.parse(body?.expires_at ?? '')).toBe(Date.parse(KEY.expires_at ?? ''));
});

it('sends only what was changed', () => {
  const draft = { ...draftOf(KEY), capMonth: '30', tags: [] };
  const { body } = readDraft(draft, NOW);
  if (body === null) throw new Error('the draft is valid');
  expect(changesOf(KEY, draft, body)).toEqual({ caps: { day: null, week: null, month: '30', total: null }, tags: {} });
  expect(changesOf(KEY, draftOf(KEY), body)).toEqual({});
});

it('sends the maximum of its sessions, and whether it exceeds defaults', () => {
  const key: Key = { ...KEY, each_session: '5.000000000', exceeds_defaults: true };
  const change = (draft: KeyDraft) => {
    const { body } = readDraft(draft, NOW);
    return body === null ? null : changesOf(key, draft, body);
  };
  expect(change(draftOf(key))).toEqual({});
  expect(change({ ...draftOf(key), defaults: { each_session: '' }, exceedsDefaults: false })).toEqual({
    each_session: '0',
    exceeds_defaults: false,
  });
  expect(change({ ...draftOf(key), defaults: { each_session: '$2.50' } })).toEqual({ each_session: '2.50' });
});

it('reads numbers and amounts as people type them', () => {
  const draft = { ...EMPTY_DRAFT, name: 'ci', tokensPerMinute: '100,000', capDay: '$1,000.50' };
  expect(readDraft(draft, NOW).body).toMatchObject({
    limits: { tokens_per_minute: 100_000 },
    caps: { day: '1000.50' },
  });
});

it.each<[string, Partial<KeyDraft>]>([
  ['name', { name: ' ' }],
  ['name', { name: 'n'.repeat(201) }],
  ['expires_at', { expires: '2026-11-22T00:00' }],
  ['limits.requests_per_minute', { requestsPerMinute: '0' }],
  ['limits.tokens_per_minute', { tokensPerMinute: '1000000001' }],
  ['limits.open_requests', { openRequests: '1.5' }],
  ['caps.day', { capDay: '-1' }],
  ['caps.month', { capMonth: '0.0000000001' }],
  ['caps.total', { capTotal: 'ten' }],
  ['each_session', { defaults: { each_session: 'five' } }],
  ['tags', { tags: [{ name: 'team', value: '' }] }],
  [
    'tags',
    {
      tags: [
        { name: 'team', value: 'a' },
        { name: 'team', value: 'b' },
      ],
    },
  ],
  ['tags', { tags: Array.from({ length: 17 }, (_, index) => ({ name: `t${index}`, value: 'v' })) }],
])('names %s as the field at fault', (field, changes) => {
  expect(Object.keys(errorsOf(changes))).toEqual([field]);
});

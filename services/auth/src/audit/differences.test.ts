import { expect, it } from 'vitest';
import { keyAttributes } from './attributes.ts';
import { changedAttributes, setAttributes } from './differences.ts';

const before = { name: 'ci', day_cap: '', month_cap: '$5', allowed_models: 'small' };

it('records what has changed, and what an attribute without a value means', () => {
  expect(changedAttributes(before, { name: 'ci', day_cap: '$1', month_cap: '', allowed_models: '' })).toEqual({
    day_cap: 'none → $1',
    month_cap: '$5 → none',
    allowed_models: 'small → all',
  });
});

it('records the attributes of something new that are set, shortened', () => {
  expect(setAttributes({ ...before, name: 'x'.repeat(300) })).toEqual({
    name: `${'x'.repeat(199)}…`,
    month_cap: '$5',
    allowed_models: 'small',
  });
});

const key = {
  name: 'ci',
  expires_at: null,
  allowed_models: [],
  day_cap_nanos: null,
  week_cap_nanos: null,
  month_cap_nanos: null,
  total_cap_nanos: null,
  requests_per_minute: null,
  tokens_per_minute: null,
  open_requests: null,
  each_session_nanos: null,
  exceeds_defaults: false,
  grants: null,
  tags: {},
  account_id: 'an account',
  project_id: 'a project',
  project_name: 'Research',
  owner: null,
};

it.each([
  [{ allowed_models: ['a, b'] }, { allowed_models: ['a', 'b'] }],
  [{ allowed_models: ['"a"', 'b'] }, { allowed_models: ['a', 'b'] }],
  [{ allowed_models: ['all'] }, { allowed_models: [] }],
  [{ tags: { a: 'x, b=y' } }, { tags: { a: 'x', b: 'y' } }],
  [{ expires_at: new Date(1_800_000_000_000) }, { expires_at: new Date(1_800_000_000_001) }],
  [
    { allowed_models: ['m'.repeat(150), 'n'.repeat(150), 'one'] },
    { allowed_models: ['m'.repeat(150), 'n'.repeat(150), 'two'] },
  ],
])('records a change whose texts look alike: %j to %j', (from, to) => {
  const changed = changedAttributes(keyAttributes({ ...key, ...from }), keyAttributes({ ...key, ...to }));
  expect(Object.keys(changed)).toEqual(Object.keys(to));
  const [old, now] = Object.values(changed)[0]?.split(' → ') ?? [];
  expect(old).not.toBe(now);
});

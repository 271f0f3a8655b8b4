import { expect, it } from 'vitest';
import { changedNode, nodeDraftOf, type Project } from './nodes.ts';

const PROJECT: Project = {
  project_id: '0199c0d0-1111-7000-8000-000000000000',
  account_id: '0199c0d0-2222-7000-8000-000000000000',
  name: 'Checkout',
  is_default: false,
  each_key: { day: null, week: null, month: null, total: null },
  each_member: { day: null, week: null, month: null, total: null },
  each_service_account: { day: null, week: null, month: null, total: null },
  each_session: null,
  exceeds_defaults: false,
  applied_caps: { day: null, week: null, month: null, total: null, session: null },
  status: 'active',
  enabled: true,
  created_at: '2026-11-01T00:00:00Z',
  created_by: null,
  expires_at: null,
  deleted_at: null,
  allowed_models: [],
  caps: { day: null, week: null, month: '10.000000000', total: null },
  limits: { requests_per_minute: 60, tokens_per_minute: null, open_requests: null },
};

it('shows a new name and a switch before the response', () => {
  expect(changedNode(PROJECT, { name: 'Shop' })).toEqual({ ...PROJECT, name: 'Shop' });
  expect(changedNode(PROJECT, { enabled: false })).toEqual({ ...PROJECT, enabled: false, status: 'off' });
  expect(changedNode({ ...PROJECT, enabled: false, status: 'off' }, { enabled: true })).toEqual(PROJECT);
});

it('leaves what is not sent, such as that it has expired', () => {
  const expired: Project = { ...PROJECT, status: 'expired', expires_at: '2026-11-02T00:00:00Z' };
  expect(changedNode(expired, { enabled: true })).toEqual(expired);
  expect(changedNode(expired, {})).toEqual(expired);
});

it('has amounts in its form as people type them', () => {
  expect(nodeDraftOf(PROJECT)).toMatchObject({ name: 'Checkout', capMonth: '10', capDay: '', requestsPerMinute: '60' });
  expect(nodeDraftOf(null)).toMatchObject({ name: '', capMonth: '', models: [], exceedsDefaults: false });
  const owner = { ...PROJECT, each_key: { ...PROJECT.each_key, day: '5.000000000' }, exceeds_defaults: true };
  expect(nodeDraftOf(owner)).toMatchObject({ defaults: { 'each_key.day': '5' }, exceedsDefaults: true });
});

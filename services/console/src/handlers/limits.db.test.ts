import { afterAll, beforeAll, expect, it } from 'vitest';
import { RunningConsole } from '../../testing/running-console.ts';

let running: RunningConsole;
beforeAll(async () => {
  running = await RunningConsole.start();
});
afterAll(() => running.stop());

const NONE = { day: null, week: null, month: null, total: null };

it('shows what is spent of each cap in force of projects, owners and keys', async () => {
  const account_id = await running.createAccount();
  const { api } = await running.signedIn('admin', account_id);
  const project = await api.ok('POST /accounts/{account_id}/projects', {
    path: { account_id },
    body: { name: 'Research', caps: { ...NONE, month: '10' }, each_service_account: { ...NONE, week: '4' } },
  });
  const { project_id } = project;
  const owner = await api.ok('POST /accounts/{account_id}/projects/{project_id}/service-accounts', {
    path: { account_id, project_id },
    body: { name: 'ci' },
  });
  const { key } = await api.ok('POST /accounts/{account_id}/keys', {
    path: { account_id },
    body: { name: 'deploy', service_account_id: owner.service_account_id },
  });
  const tree = await api.ok('GET /accounts/{account_id}/limits', { path: { account_id }, query: { project_id } });
  expect(tree).toMatchObject({
    data: [
      {
        ...{ scope: 'project', id: project_id, parent_id: null, name: 'Research', status: 'active' },
        cap_usage: [
          { period: 'month', limit: '10', spent: '0', held: '0', left: '10', set_by: 'own', reached_at: null },
        ],
      },
      {
        ...{ scope: 'service_account', id: owner.service_account_id, parent_id: project_id },
        cap_usage: [{ period: 'week', limit: '4', left: '4', set_by: 'project' }],
      },
      { scope: 'key', id: key.key_id, parent_id: owner.service_account_id, cap_usage: [], has_derived_keys: false },
    ],
    is_cut: false,
  });
  const all = await api.ok('GET /accounts/{account_id}/limits', { path: { account_id } });
  expect(all.data.map(({ name }) => name)).toEqual(['default', 'Research', 'ci', 'deploy']);
});

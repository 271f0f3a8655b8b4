import { RunningConsole } from '@tollgate/console/testing/running-console';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from '../testing/run-cli.ts';

let running: RunningConsole;
let accountId: string;
let env: Record<string, string>;

beforeAll(async () => {
  running = await RunningConsole.start();
  accountId = await running.createAccount();
  const { managementKey } = await running.program('operator');
  env = { TOLLGATE_URL: running.url, TOLLGATE_MANAGEMENT_KEY: managementKey };
});
afterAll(() => running.stop());

const tollgate = (...args: string[]) => runCli(args, { env });

async function json(...args: string[]) {
  const { status, stdout, stderr } = await tollgate('--json', ...args);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const NO_CAPS = { day: null, week: null, month: null, total: null };

it('projects are created, limited, switched off and on, and deleted, with their keys', async () => {
  const made = await json(
    ...['projects', 'create', accountId, 'Research', '--cap-month', '500', '--model', 'simulated-small'],
  );
  expect(made).toMatchObject({ name: 'Research', caps: { ...NO_CAPS, month: '500' }, status: 'active' });
  const id = [accountId, made.project_id];
  const listed = (await tollgate('projects', accountId)).stdout;
  expect(listed).toMatch(/^PROJECT .* NAME .* STATUS .*\n.* default +active .*\n.* Research +active .* month 500 /);
  const renamed = await json(
    'projects',
    'update',
    ...id,
    '--name',
    'Search',
    '--without-models',
    '--expires',
    '2099-01-01',
  );
  expect(renamed).toMatchObject({ name: 'Search', allowed_models: [], expires_at: '2099-01-01T00:00:00.000Z' });
  const { key } = await json('keys', 'create', accountId, '--project', made.project_id);
  expect(key).toMatchObject({ project_id: made.project_id, project_name: 'Search', owner: null });
  expect(await json('projects', 'disable', ...id)).toMatchObject({ enabled: false, status: 'off' });
  expect(await json('keys', 'get', accountId, key.key_id)).toMatchObject({ status: 'off' });
  expect(await json('projects', 'enable', ...id)).toMatchObject({ enabled: true, status: 'active' });
  const { key: leaving } = await json('keys', 'create', accountId, '--project', made.project_id);
  const moved = await json('keys', 'update', accountId, leaving.key_id, '--project', accountId);
  expect(moved).toMatchObject({ status: 'active', project_name: 'default' });
  expect(await json('projects', 'delete', ...id)).toMatchObject({ status: 'deleted' });
  expect(await json('keys', 'get', accountId, leaving.key_id)).toMatchObject({ status: 'active' });
  expect(await tollgate('keys', 'update', accountId, key.key_id, '--project', accountId)).toMatchObject({
    status: 1,
    stderr: 'error: The project is deleted.\n',
  });
  expect(await tollgate('projects', 'delete', accountId, accountId)).toMatchObject({
    status: 1,
    stderr: 'error: The project default cannot be deleted.\n',
  });
});

it('service accounts own keys, and members are limited in a project', async () => {
  const { project_id: projectId } = await json('projects', 'create', accountId, 'Production');
  const made = await json(
    ...['service-accounts', 'create', accountId, projectId, 'ci', '--cap-day', '20', '--requests-per-minute', '60'],
  );
  expect(made).toMatchObject({ name: 'ci', caps: { ...NO_CAPS, day: '20' }, limits: { requests_per_minute: 60 } });
  const { service_account_id: serviceAccountId } = made;
  const { key } = await json(
    ...['keys', 'create', accountId, '--service-account', serviceAccountId, '--name', 'deploy'],
  );
  const owner = { kind: 'service_account', id: serviceAccountId, name: 'ci' };
  expect(key).toMatchObject({ project_name: 'Production', owner });
  expect((await tollgate('keys', 'list', accountId, '--project', projectId)).stdout).toMatch(
    / deploy +Production +ci /,
  );
  const id = [accountId, projectId, serviceAccountId];
  expect(await json('service-accounts', 'disable', ...id)).toMatchObject({ status: 'off' });
  expect(await json('service-accounts', 'enable', ...id)).toMatchObject({ status: 'active' });
  expect(await json('service-accounts', 'update', ...id, '--name', 'cd')).toMatchObject({ name: 'cd' });
  expect((await tollgate('service-accounts', accountId, projectId)).stdout).toMatch(/ cd +active /);
  const nobodys = await json('keys', 'update', accountId, key.key_id, '--without-service-account');
  expect(nobodys).toMatchObject({ project_name: 'Production', owner: null });
  expect(await json('service-accounts', 'delete', ...id)).toMatchObject({ status: 'deleted' });

  const { personId } = await running.signedIn('developer', accountId);
  const { data } = await json('members', 'list', accountId);
  const { email } = data.find((member: { person_id: string }) => member.person_id === personId);
  const member = [accountId, projectId, email];
  expect(await json('projects', 'limit-member', ...member, '--cap-week', '50')).toMatchObject({
    ...{ person_id: personId, email, caps: { ...NO_CAPS, week: '50' } },
  });
  expect(await json('projects', 'disable-member', ...member)).toMatchObject({ status: 'off' });
  expect((await tollgate('projects', 'members', accountId, projectId)).stdout).toMatch(
    / off .* week \(limit 50, set by own\) /,
  );
  expect(await json('projects', 'enable-member', ...member)).toMatchObject({ status: 'active' });
});

it('sets defaults of a project for what is below it, which a key may exceed', async () => {
  const { project_id: projectId } = await json('projects', 'create', accountId, 'Defaults', '--each-key-day', '60');
  const given = ['--each-key-day', '50', '--each-member-month', '100', '--each-session', '5'];
  expect(await json('projects', 'update', accountId, projectId, ...given)).toMatchObject({
    each_key: { ...NO_CAPS, day: '50' },
    each_member: { ...NO_CAPS, month: '100' },
    each_service_account: NO_CAPS,
    each_session: '5',
  });
  const create = ['keys', 'create', accountId, '--project', projectId, '--cap-day', '51'];
  expect((await tollgate(...create)).stderr).toContain('caps.day: more than the default above it, $50');
  const { key } = await json(...create, '--exceeds-defaults');
  const day = (limit: string, set_by: string) => ({ applied_caps: { day: { limit, set_by } } });
  expect(key).toMatchObject({ exceeds_defaults: true, ...day('51', 'own') });
  const update = (flag: string) => json('keys', 'update', accountId, key.key_id, flag);
  expect(await update('--no-exceeds-defaults')).toMatchObject({ exceeds_defaults: false, ...day('50', 'project') });
  expect((await tollgate('keys', 'list', accountId, '--project', projectId)).stdout).toContain(
    ' day (limit 50, set by project), session (limit 5, set by project) ',
  );
  expect((await tollgate('keys', 'get', accountId, key.key_id)).stdout).toMatch(
    /applied caps day +limit 50, set by project\n/,
  );
  expect(await update('--exceeds-defaults')).toMatchObject({ exceeds_defaults: true, ...day('51', 'own') });
});

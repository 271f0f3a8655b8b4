import { readFileSync } from 'node:fs';
import { ROLE_NAMES, type RoleName } from '@tollgate/common/actors/roles';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ApiClient } from '../testing/api-client.ts';
import { type ApiPrefix, DocumentedApi } from '../testing/documented-api.ts';
import { ROLE_ROUTES, type RoleRoute, SAMPLES } from '../testing/operation-samples.ts';
import { RunningConsole, type SignedIn } from '../testing/running-console.ts';
import type { Route } from './api/index.ts';

// Before the tests are collected: they are those of the document that the console serves.
const running = await RunningConsole.start();
afterAll(() => running.stop());
const documented = await DocumentedApi.of(running.url);

/** The documented roles of each operation that depends on a role. */
const rolesOf = (prefix: ApiPrefix) =>
  new Map(
    documented.operations.flatMap(({ prefix: own, route, operation }) =>
      own !== prefix || operation['x-roles'] === undefined ? [] : [[route, operation['x-roles']] as const],
    ),
  );
const ofPeople = rolesOf('/api');
const ofPrograms = rolesOf('/management/v1');

let accountId: string;
const people = new Map<RoleName, SignedIn>();
const programs = new Map<RoleName, ApiClient>();
let outsider: SignedIn;
/** An operator who views the account as its members see it. */
let viewer: SignedIn;

beforeAll(async () => {
  accountId = await running.createAccount();
  for (const role of ROLE_NAMES) {
    people.set(role, await running.signedIn(role, accountId));
    programs.set(role, await running.program(role, accountId));
  }
  viewer = await running.signedIn('operator');
  await viewer.api.ok('PUT /session/view-as', { body: { account_id: accountId } });
  outsider = await running.signedIn('owner', await running.createAccount('Elsewhere'));
});

function of<T>(byRole: ReadonlyMap<RoleName, T>, role: RoleName): T {
  const found = byRole.get(role);
  if (found === undefined) throw new Error(`nobody has the role ${role}`);
  return found;
}

const samplesOf = (route: RoleRoute, role: RoleName) =>
  SAMPLES[route]({ running, accountId, caller: of(people, role), role });

/** Expects that a response is one that the operation documents. */
function expectDocumented(prefix: ApiPrefix, route: RoleRoute, response: Answer<RoleRoute>): void {
  const operation = documented.find(prefix, route);
  expect(operation && documented.problems(operation, response)).toEqual([]);
}

describe('the documented roles', () => {
  it('are of all operations that depend on one', () => {
    expect([...ofPeople.keys()].sort()).toEqual([...ROLE_ROUTES].sort());
  });

  it('are the same for people and programs', () => {
    for (const [route, roles] of ofPrograms) expect([route, roles]).toEqual([route, ofPeople.get(route)]);
  });

  it('are those of the table in docs/reference/console-api.md', () => {
    const page = readFileSync(new URL('../../../docs/reference/console-api.md', import.meta.url), 'utf8');
    const [, , ...rows] = page.split('\n').filter((line) => line.startsWith('|'));
    const table = rows.flatMap((row) => {
      const [roles = '', operations = ''] = cells(row);
      return operations.split(', ').map((operation) => [operation.replaceAll('`', ''), roles]);
    });
    const expected = [...ofPeople].map(([route, roles]) => [
      ofPrograms.has(route) ? route : `(${route})`,
      roles.length === ROLE_NAMES.length ? 'all' : roles.join(', '),
    ]);
    expect(table.sort()).toEqual(expected.sort());
  });
});

function cells(row: string): string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

describe.each([...ofPeople.keys()] as RoleRoute[])('%s', (route) => {
  const allows = (role: RoleName) => ofPeople.get(route)?.includes(role) === true;

  it.each(ROLE_NAMES)('allows or refuses a person with the role %s, as documented', async (role) => {
    const response = await of(people, role).api.call(route, await samplesOf(route, role));
    const { status, error } = response;
    if (allows(role)) expect({ status, error }).toMatchObject({ status: expect.any(Number), error: undefined });
    else expect({ status, error }).toMatchObject({ status: 403, error: { code: 'not_allowed' } });
    expectDocumented('/api', route, response);
  });

  it.each(ROLE_NAMES)('allows or refuses a program with the role %s, as documented', async (role) => {
    const sample = await samplesOf(route, role);
    const response = await of(programs, role).call(route, sample);
    const { status, error } = response;
    if (!ofPrograms.has(route)) {
      expect(status).toBe(404);
      return;
    }
    // A developer's program has made none of the keys, and no program asked for the limit of the sample.
    const named = { ...sample.path, ...(sample.body as object | undefined) };
    const isOfAnother = role === 'developer' && ('key_id' in named || 'limit_request_id' in named);
    if (!allows(role)) expect({ status, error }).toMatchObject({ status: 403 });
    else if (isOfAnother || route.endsWith('/withdraw') || (role === 'developer' && route.endsWith('/requests/{id}')))
      expect(status).toBe(404);
    else expect({ status, error }).toMatchObject({ error: undefined });
    expectDocumented('/management/v1', route, response);
  });

  it('lets an operator who views the account read what its owners see, and nothing more', async () => {
    const sample = await samplesOf(route, 'owner');
    const isRead = route.startsWith('GET ') || route.endsWith('/keys/find');
    const { status, error } = await viewer.api.call(route, sample);
    if (isRead && allows('owner')) expect({ status, error }).toMatchObject({ error: undefined });
    else expect({ status, error }).toMatchObject({ status: 403, error: { code: 'not_allowed' } });
  });

  it('refuses members of other accounts, and callers without valid credentials', async () => {
    const sample = await samplesOf(route, 'owner');
    expect(await outsider.api.call(route, sample)).toMatchObject({ status: 403, error: { code: 'not_allowed' } });
    const nobody = await new ApiClient(running.url, undefined).call(route, sample);
    expect(nobody).toMatchObject({ status: 401, error: { code: 'not_signed_in' } });
    expectDocumented('/api', route, nobody);
    // There are more operations than unknown keys that a network may present within a time.
    await running.ledger.pool.query('DELETE FROM console.attempts');
    const impostor = new ApiClient(running.url, { managementKey: `mk-tollgate-${'a'.repeat(40)}` });
    const status = ofPrograms.has(route) ? 401 : 404;
    expect(await impostor.call(route, sample)).toMatchObject({ status });
  });
});

async function newUserCode(): Promise<string> {
  const body = new URLSearchParams({ client_id: 'tollgate-cli' });
  const response = await fetch(`${running.url}/oauth/device_authorization`, { method: 'POST', body });
  const { user_code: code } = (await response.json()) as { user_code: string };
  return code;
}

/** What a signed-in person may do whatever their role. Each but the last leaves them signed in. */
const OF_PERSON: Readonly<Record<string, (person: SignedIn) => Promise<Answer<Route>>>> = {
  'GET /person/sessions': ({ api }) => api.call('GET /person/sessions'),
  'PATCH /person': ({ api }) => api.call('PATCH /person', { body: { name: 'Ana' } }),
  'PUT /session/view-as': ({ api }) => api.call('PUT /session/view-as', { body: { account_id: null } }),
  'PUT /person/password': ({ api }) => {
    const body = { current_password: 'wrong', new_password: 'correct horse battery staple' };
    return api.call('PUT /person/password', { body });
  },
  'DELETE /person/sessions/{session_id}': async ({ api, personId }) => {
    const other = await running.console.signIn(personId);
    const session = await other.ok('GET /session');
    return api.call('DELETE /person/sessions/{session_id}', { path: { session_id: session?.session_id ?? '' } });
  },
  'POST /device-authorizations/find': async ({ api }) =>
    api.call('POST /device-authorizations/find', { body: { user_code: await newUserCode() } }),
  'POST /device-authorizations/decide': async ({ api }) =>
    api.call('POST /device-authorizations/decide', { body: { user_code: await newUserCode(), approve: false } }),
  'DELETE /session': ({ api }) => api.call('DELETE /session'),
};

describe('operations of every signed-in person', () => {
  it('are all those that need a session and no role', () => {
    const ofPerson = documented.operations.filter(
      ({ prefix, operation }) =>
        prefix === '/api' &&
        operation['x-roles'] === undefined &&
        operation.security.every((each) => 'session' in each),
    );
    expect(Object.keys(OF_PERSON).sort()).toEqual(ofPerson.map(({ route }) => route).sort());
  });

  it.each(ROLE_NAMES)('are allowed with the role %s', async (role) => {
    const person = await running.signedIn(role, accountId);
    for (const [route, call] of Object.entries(OF_PERSON)) {
      const response = await call(person);
      const operation = documented.find('/api', route);
      // The person of this test has no password.
      const isRefused = route === 'PUT /person/password';
      const success = operation !== undefined && '204' in operation.responses ? 204 : 200;
      expect([route, response.status]).toEqual([route, isRefused ? 400 : success]);
      expect(response.error?.field).toBe(isRefused ? 'current_password' : undefined);
      expect(operation && documented.problems(operation, response)).toEqual([]);
    }
  });
});

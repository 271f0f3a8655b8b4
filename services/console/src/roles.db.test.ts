import { ROLE_NAMES, type RoleName } from '@tollgate/common/actors/roles';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../testing/api-client.ts';
import { ROLE_ROUTES, type RoleRoute, SAMPLES } from '../testing/operation-samples.ts';
import { RunningConsole, type SignedIn } from '../testing/running-console.ts';
import { operations } from './api/index.ts';

let running: RunningConsole;
let accountId: string;
const people = new Map<RoleName, SignedIn>();
const programs = new Map<RoleName, ApiClient>();
let outsider: SignedIn;
/** An operator who views the account as its members see it. */
let viewer: SignedIn;

beforeAll(async () => {
  running = await RunningConsole.start();
  accountId = await running.createAccount();
  for (const role of ROLE_NAMES) {
    people.set(role, await running.signedIn(role, accountId));
    programs.set(role, await running.program(role, accountId));
  }
  viewer = await running.signedIn('operator');
  await viewer.api.ok('PUT /session/view-as', { body: { account_id: accountId } });
  outsider = await running.signedIn('owner', await running.createAccount('Elsewhere'));
});
afterAll(() => running.stop());

function of<T>(byRole: ReadonlyMap<RoleName, T>, role: RoleName): T {
  const found = byRole.get(role);
  if (found === undefined) throw new Error(`nobody has the role ${role}`);
  return found;
}

const samplesOf = (route: RoleRoute, role: RoleName) =>
  SAMPLES[route]({ running, accountId, caller: of(people, role), role });

const allows = (route: RoleRoute, role: RoleName) => (operations[route].access as readonly RoleName[]).includes(role);

describe.each(ROLE_ROUTES)('%s', (route) => {
  it.each(ROLE_NAMES)('allows or refuses a person with the role %s, as it declares', async (role) => {
    const { status, error } = await of(people, role).api.call(route, await samplesOf(route, role));
    if (allows(route, role)) expect({ status, error }).toMatchObject({ status: expect.any(Number), error: undefined });
    else expect({ status, error }).toMatchObject({ status: 403, error: { code: 'not_allowed' } });
  });

  it.each(ROLE_NAMES)('allows or refuses a program with the role %s, as it declares', async (role) => {
    const sample = await samplesOf(route, role);
    const { status, error } = await of(programs, role).call(route, sample);
    // A developer's program has made none of the keys.
    const isOfAnotherKey = role === 'developer' && 'path' in sample && 'key_id' in (sample.path ?? {});
    if (!operations[route].programs) expect(status).toBe(404);
    else if (!allows(route, role)) expect({ status, error }).toMatchObject({ status: 403 });
    else if (isOfAnotherKey || (role === 'developer' && route.endsWith('/requests/{id}'))) expect(status).toBe(404);
    else expect({ status, error }).toMatchObject({ error: undefined });
  });

  it('lets an operator who views the account read what its owners see, and nothing more', async () => {
    const sample = await samplesOf(route, 'owner');
    const isRead = route.startsWith('GET ') || route.endsWith('/keys/find');
    const { status, error } = await viewer.api.call(route, sample);
    if (isRead && allows(route, 'owner')) expect({ status, error }).toMatchObject({ error: undefined });
    else expect({ status, error }).toMatchObject({ status: 403, error: { code: 'not_allowed' } });
  });

  it('refuses members of other accounts, and callers without valid credentials', async () => {
    const sample = await samplesOf(route, 'owner');
    expect(await outsider.api.call(route, sample)).toMatchObject({ status: 403, error: { code: 'not_allowed' } });
    const nobody = new ApiClient(running.url, undefined);
    expect(await nobody.call(route, sample)).toMatchObject({ status: 401, error: { code: 'not_signed_in' } });
    const impostor = new ApiClient(running.url, { managementKey: `mk-tollgate-${'a'.repeat(40)}` });
    const status = operations[route].programs ? 401 : 404;
    expect(await impostor.call(route, sample)).toMatchObject({ status });
  });
});

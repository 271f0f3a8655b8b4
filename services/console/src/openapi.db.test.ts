import { randomUUID } from 'node:crypto';
import { ScriptedWatcher } from '@tollgate/auth/testing/auth-under-test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ApiClient } from '../testing/api-client.ts';
import { DocumentedApi, type DocumentedOperation } from '../testing/documented-api.ts';
import { furnishAccount } from '../testing/furnish-account.ts';
import { joinByShownLink } from '../testing/join-by-link.ts';
import { type RoleRoute, SAMPLES } from '../testing/operation-samples.ts';
import { RunningConsole, type SignedIn } from '../testing/running-console.ts';
import type { Route } from './api/index.ts';

// Before the tests are collected: they are those of the document that the console serves.
const running = await RunningConsole.start();
const documented = await DocumentedApi.of(running.url);
const anyone = new ApiClient(running.url, undefined);

const PASSWORD = 'correct horse battery staple';
/** Lists of which this gateway has nothing: no faults of its ledger and catalogue, no announced prices, no options of a price. */
const RARE = [
  'CompareCatalogueResponse.changes',
  'GetCatalogueResponse.errors',
  'GetLedgerStatusResponse.findings',
  'GetLedgerStatusResponse.losses',
  'Member.project_ids',
  'Model.next_prices',
  'MonthEstimate.models',
  'PriceOption.tiers',
];
const NOBODY = '01900000-0000-7000-8000-000000000000';

let accountId: string;
let lastFour: string;
let operator: SignedIn;
/** The values of a management key and of a session's cookie. */
let managementKey: string;
let cookie: string;
let program: ApiClient;
let pinging: NodeJS.Timeout;
let ingress: ScriptedWatcher;

beforeAll(async () => {
  operator = await running.signedIn('operator');
  const body = { name: 'program', expires_at: new Date(Date.now() + 3_600_000).toISOString() };
  managementKey = (await operator.api.ok('POST /operator/management-keys', { body })).secret;
  program = new ApiClient(running.url, { managementKey });
  ingress = new ScriptedWatcher(running.auth.client, randomUUID());
  // Confirms every change, as an ingress does.
  pinging = setInterval(() => ingress.ping(ingress.lastSequence), 20);
  accountId = await running.createAccount();
  ({ lastFour } = await furnishAccount(running, accountId));
  await running.quarantine();
  cookie = (await newPerson()).browser.cookie;
});
afterAll(async () => {
  clearInterval(pinging);
  ingress.cancel();
  await running.stop();
});

/** A person with a password who has accepted an invitation; with the responses to it. */
async function newPerson() {
  const email = `${randomUUID()}@example.com`;
  const invitation = { path: { account_id: accountId }, body: { email, role: 'owner' as const } };
  const { link } = await operator.api.ok('POST /accounts/{account_id}/invitations', invitation);
  const secret = new URL(link ?? '').hash.slice(1);
  const found = await anyone.call('POST /invitations/find', { body: { secret } });
  const accepted = await anyone.call('POST /invitations/accept', { body: { secret, name: 'Ana', password: PASSWORD } });
  const { browser } = await joinByShownLink(running.url, { secret, password: PASSWORD });
  return { email, found, accepted, browser };
}

/** Expects a status, and a response that its operation documents. */
function expectAs(status: number, route: Route, response: Answer<Route>, prefix: '/api' | '/management/v1' = '/api') {
  expect({ status: response.status, error: response.error }).toMatchObject({ status });
  const operation = documented.find(prefix, route);
  expect(operation && documented.problems(operation, response)).toEqual([]);
}

/** The address of an operation with ids that name nothing. */
const addressOf = ({ prefix, route }: DocumentedOperation) => {
  const [method = '', path = ''] = route.split(' ');
  return { method, url: `${running.url}${prefix}${path.replace(/\{\w+\}/g, NOBODY)}` };
};

/** Whether an operation needs no credentials. */
const isOpen = ({ operation }: DocumentedOperation) =>
  operation.security.some((each) => Object.keys(each).length === 0);

describe('the document', () => {
  it('is served to everybody, compressed, and revalidated', async () => {
    const url = `${running.url}/openapi.json`;
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(await response.json()).toMatchObject({ openapi: '3.1.1', servers: [{ url: running.url }] });
    const etag = response.headers.get('etag') ?? '';
    // Without cache-control, fetch sends no-cache for a request with a condition, as browsers do when they reload.
    const again = await fetch(url, { headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' } });
    expect(again.status).toBe(304);
    const plain = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.json()).toEqual(documented.document);
  });
});

describe('a documented operation', () => {
  const all = documented.operations;

  it.each(all)('$prefix $route exists, and needs credentials as documented', async (documentedOperation) => {
    const { method, url } = addressOf(documentedOperation);
    const response = await fetch(url, { method, headers: { origin: running.url } });
    const { status, headers } = response;
    expect(isOpen(documentedOperation) ? [200, 400] : [401]).toContain(status);
    const problems = documented.problems(documentedOperation.operation, {
      status,
      headers,
      body: await response.json(),
    });
    expect(problems).toEqual([]);
  });

  const closed = all.filter((each) => !isOpen(each));
  it.each(closed)('$prefix $route does not take the credentials of the other prefix', async (documentedOperation) => {
    const { method, url } = addressOf(documentedOperation);
    const others = documentedOperation.prefix === '/api' ? { authorization: `Bearer ${managementKey}` } : { cookie };
    const response = await fetch(url, { method, headers: { origin: running.url, ...others } });
    expect(response.status).toBe(401);
  });

  const ofRoles = all.filter(({ operation }) => operation['x-roles'] !== undefined);
  it.each(ofRoles)('$prefix $route responds as documented', async ({ prefix, route, operation }) => {
    const roleRoute = route as RoleRoute;
    const sample = await SAMPLES[roleRoute]({ running, accountId, caller: operator, role: 'operator' });
    const response = await (prefix === '/api' ? operator.api : program).call(roleRoute, sample);
    // Only who asked for a limit withdraws that, and no program did.
    const isOfAnother = prefix !== '/api' && route.endsWith('/withdraw');
    expectAs(isOfAnother ? 404 : '204' in operation.responses ? 204 : 200, roleRoute, response, prefix);
  });
});

describe('what is not documented', () => {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  const undocumented = Object.entries(documented.document.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => !(method.toLowerCase() in item))
      .map((method) => ({ method, path }))
      // `GET …/keys/find` would be that of a key.
      .filter(({ path }) => !path.endsWith('/keys/find')),
  );
  const onlyForPeople = documented.operations
    .filter(({ prefix, route }) => prefix === '/api' && documented.find('/management/v1', route) === undefined)
    .map(({ route }) => {
      const [method = '', path = ''] = route.split(' ');
      return { method, path: `/management/v1${path}` };
    });
  const others = ['/api', '/management/v1', '/api/openapi.json', '/management/v2/operator/accounts'].map((path) => ({
    method: 'GET',
    path,
  }));

  it.each([...undocumented, ...onlyForPeople, ...others])('$method $path does not exist', async ({ method, path }) => {
    const credentials = path.startsWith('/management') ? { authorization: `Bearer ${managementKey}` } : { cookie };
    const headers = { origin: running.url, ...credentials };
    const response = await fetch(`${running.url}${path.replace(/\{\w+\}/g, NOBODY)}`, { method, headers });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'not_found', field: null } });
  });
});

describe('documented responses', () => {
  it('are those of signing in, of invitations and of resets', async () => {
    const { email, found, accepted } = await newPerson();
    expectAs(200, 'POST /invitations/find', found);
    expectAs(200, 'POST /invitations/accept', accepted);
    const unknown = { secret: 'x'.repeat(43) };
    expectAs(404, 'POST /invitations/find', await anyone.call('POST /invitations/find', { body: unknown }));
    const reset = { body: { ...unknown, password: PASSWORD } };
    expectAs(404, 'POST /password-resets/use', await anyone.call('POST /password-resets/use', reset));
    expectAs(204, 'POST /password-resets', await anyone.call('POST /password-resets', { body: { email } }));
    const wrong = { email, password: 'wrong' };
    expectAs(401, 'POST /session', await anyone.call('POST /session', { body: wrong }));
    const signedIn = await anyone.call('POST /session', { body: { email, password: PASSWORD } });
    expectAs(200, 'POST /session', signedIn);
    expectAs(200, 'GET /config', await anyone.call('GET /config'));
  });

  it('are those of a person', async () => {
    const { email, browser } = await newPerson();
    await anyone.ok('POST /session', { body: { email, password: PASSWORD } });
    expectAs(200, 'GET /session', await browser.call('GET /session'));
    expectAs(200, 'PATCH /person', await browser.call('PATCH /person', { body: { name: 'Ana B.' } }));
    const sessions = await browser.call('GET /person/sessions');
    expectAs(200, 'GET /person/sessions', sessions);
    const other = sessions.body.data.find(({ current }) => !current)?.session_id ?? '';
    const path = { session_id: other };
    const end = 'DELETE /person/sessions/{session_id}' as const;
    expectAs(204, end, await browser.call(end, { path }));
    expectAs(404, end, await browser.call(end, { path }));
    const change = { current_password: PASSWORD, new_password: `${PASSWORD}!` };
    const wrong = { ...change, current_password: 'wrong' };
    expectAs(400, 'PUT /person/password', await browser.call('PUT /person/password', { body: wrong }));
    expectAs(204, 'PUT /person/password', await browser.call('PUT /person/password', { body: change }));
    const view = { account_id: accountId };
    expectAs(403, 'PUT /session/view-as', await browser.call('PUT /session/view-as', { body: view }));
    expectAs(204, 'DELETE /session', await browser.call('DELETE /session'));
    const viewer = (await running.signedIn('operator')).api;
    expectAs(200, 'PUT /session/view-as', await viewer.call('PUT /session/view-as', { body: view }));
  });

  it('are those of exports in JSON, and of lists to which something was added', async () => {
    const { api } = operator;
    const path = { account_id: accountId };
    const hour = 3_600_000;
    const range = {
      start: new Date(Date.now() - hour).toISOString(),
      end: new Date(Date.now() + hour).toISOString(),
    };
    const query = { ...range, format: 'json' as const };
    for (const route of [
      'GET /accounts/{account_id}/requests/export',
      'GET /accounts/{account_id}/audit/export',
    ] as const) {
      const response = await api.call(route, { path, query });
      expectAs(200, route, response);
      expect(String(response.body).split('\n').length).toBeGreaterThan(2);
    }
    const focus = 'GET /accounts/{account_id}/focus' as const;
    const today = Math.floor(Date.now() / 86_400_000) * 86_400_000;
    const days = { start: new Date(today).toISOString(), end: new Date(today + 86_400_000).toISOString() };
    expectAs(200, focus, await api.call(focus, { path, query: { ...days, format: 'json' } }));
    expectAs(200, 'GET /operator/audit/export', await api.call('GET /operator/audit/export', { query }));
    const find = 'POST /accounts/{account_id}/keys/find' as const;
    expectAs(200, find, await api.call(find, { path, body: { last_four: lastFour } }));
    const create = 'POST /accounts/{account_id}/keys' as const;
    const created = await api.call(create, { path, body: { name: 'changed', allowed_models: ['small'] } });
    expectAs(200, create, created);
    const { key } = created.body;
    const ofKey = { ...path, key_id: key.key_id };
    await api.ok('DELETE /accounts/{account_id}/keys/{key_id}', { path: ofKey });
    const propagation = 'GET /accounts/{account_id}/keys/{key_id}/propagation' as const;
    expectAs(200, propagation, await api.call(propagation, { path: ofKey }));
    const owner = await running.signedIn('owner', accountId);
    const expires_at = range.end;
    const managementKey = { name: 'of an owner', role: 'owner' as const, expires_at };
    await owner.api.ok('POST /accounts/{account_id}/management-keys', { path, body: managementKey });
    await owner.api.ok('POST /accounts/{account_id}/keys', { path, body: { name: 'of an owner' } });
    const remove = 'DELETE /accounts/{account_id}/members/{person_id}' as const;
    expectAs(200, remove, await api.call(remove, { path: { ...path, person_id: owner.personId } }));
    const compare = 'POST /operator/catalogue/compare' as const;
    expectAs(200, compare, await api.call(compare, { body: { content: '{' } }));
    await api.ok('POST /operator/invitations', { body: { email: `${randomUUID()}@example.com` } });
    expectAs(200, 'GET /operator/operators', await api.call('GET /operator/operators'));
    // The thresholds are checked in the background.
    await expect
      .poll(async () => {
        const alerts = await api.call('GET /accounts/{account_id}/alerts', { path });
        expectAs(200, 'GET /accounts/{account_id}/alerts', alerts);
        return alerts.body.events.length;
      })
      .toBeGreaterThan(0);
  });

  it('are those of errors', async () => {
    const { api } = operator;
    const path = { account_id: accountId };
    const list = 'GET /accounts/{account_id}/requests' as const;
    const query = { start: 'yesterday', end: 'today' };
    expectAs(400, list, await api.call(list, { path, query }));
    expectAs(400, list, await program.call(list, { path, query }), '/management/v1');
    const key = 'GET /accounts/{account_id}/keys/{key_id}' as const;
    const missing = { path: { ...path, key_id: NOBODY } };
    expectAs(404, key, await api.call(key, missing));
    expectAs(404, key, await program.call(key, missing), '/management/v1');
    const create = 'POST /accounts/{account_id}/keys' as const;
    expectAs(413, create, await api.call(create, { path, body: { name: 'x'.repeat(200_000) } }));
    const invite = 'POST /accounts/{account_id}/invitations' as const;
    const member = { path, body: { email: (await newPerson()).email, role: 'developer' as const } };
    expectAs(409, invite, await api.call(invite, member));
    expectAs(409, invite, await program.call(invite, member), '/management/v1');
    const attempts = await Promise.all(
      Array.from({ length: 15 }, () =>
        anyone.call('POST /session', { body: { email: 'nobody@example.com', password: 'wrong' } }),
      ),
    );
    const refused = attempts.find(({ status }) => status === 429) ?? attempts[0];
    if (refused !== undefined) expectAs(429, 'POST /session', refused);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('have had an item in every list, but for a few rare ones', () => {
    expect(documented.emptyLists.sort()).toEqual(RARE);
  });
});

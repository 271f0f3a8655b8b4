import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunningConsole, type SignedIn } from '../../testing/running-console.ts';
import type { Route } from '../api/index.ts';
import { OPERATIONS } from '../api/operations.ts';

let running: RunningConsole;
let owner: SignedIn;
let operator: SignedIn;
let accountId: string;
beforeAll(async () => {
  running = await RunningConsole.start();
  accountId = await running.createAccount();
  owner = await running.signedIn('owner', accountId);
  operator = await running.signedIn('operator');
});
afterAll(() => running.stop());

const ALL_CHANGES = OPERATIONS.filter(({ method }) => method !== 'GET');
const CHANGES = ALL_CHANGES.map(({ route }) => route as Route);

/** Headers of a browser in which a page that is not the console's makes a request. */
const foreign = (): Record<string, Record<string, string>> => ({
  'no origin': {},
  'the origin of another site': { origin: 'https://evil.example' },
  'an opaque origin': { origin: 'null' },
  'the origin of another port': { origin: running.url.replace(/\d+$/, '1') },
  'the origin of another scheme': { origin: running.url.replace('http:', 'https:') },
  'an origin that begins with that of the console': { origin: `${running.url}.evil.example` },
  'a request across sites': { origin: running.url, 'sec-fetch-site': 'cross-site' },
  'a request across origins of a site': { origin: running.url, 'sec-fetch-site': 'same-site' },
  'a request of no page': { origin: running.url, 'sec-fetch-site': 'none' },
});

/** Sends a change with a JSON body. */
async function change(route: Route, headers: Record<string, string>, prefix = '/api') {
  const [method = '', path = ''] = route.split(' ');
  const url = `${running.url}${prefix}${path.replace('{account_id}', accountId).replaceAll(/\{\w+\}/g, randomUUID())}`;
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'DELETE' ? {} : { body: '{}' }),
  });
  return { status: response.status, text: await response.text() };
}

const REFUSAL = () => ({
  status: 403,
  text: JSON.stringify({
    error: { code: 'not_allowed', message: `Only pages at ${running.url} may do this.`, field: null },
  }),
});

it('there are changes to test', () => {
  expect(CHANGES.length).toBeGreaterThan(25);
});

describe.each(CHANGES)('%s with the cookie of a person', (route) => {
  it('is refused unless a page of the console sends it', async () => {
    // The one that signs out ends its session.
    const { api } = route === 'DELETE /session' ? await running.signedIn('operator') : operator;
    const { cookie } = api;
    const refused = Object.entries(foreign()).map(async ([what, headers]) => {
      expect({ what, ...(await change(route, { cookie, ...headers })) }).toEqual({ what, ...REFUSAL() });
    });
    await Promise.all(refused);
    for (const headers of [{ origin: running.url }, { origin: running.url, 'sec-fetch-site': 'same-origin' }]) {
      expect(await change(route, { cookie, ...headers })).not.toEqual(REFUSAL());
    }
  });
});

it('a refused change changes nothing, and the same one of a page of the console does', async () => {
  const path = `${running.url}/api/accounts/${accountId}/keys`;
  const { cookie } = owner.api;
  const create = (headers: Record<string, string>) =>
    fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie, ...headers },
      body: JSON.stringify({ name: 'made by another site' }),
    });
  const count = async () => {
    const { data } = await owner.api.ok('GET /accounts/{account_id}/keys', { path: { account_id: accountId } });
    return data.length;
  };
  const before = await count();
  for (const headers of Object.values(foreign())) expect((await create(headers)).status).toBe(403);
  expect(await count()).toBe(before);
  expect((await create({ origin: running.url })).status).toBe(200);
  expect(await count()).toBe(before + 1);
});

describe('a program with a management key', () => {
  const CHANGES_OF_PROGRAMS = ALL_CHANGES.filter(({ programs }) => programs).map(({ route }) => route as Route);
  let authorization: string;
  beforeAll(async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const body = { name: 'a program', expires_at };
    authorization = `Bearer ${(await operator.api.ok('POST /operator/management-keys', { body })).secret}`;
  });

  it('makes changes whatever the origin', async () => {
    expect(CHANGES_OF_PROGRAMS.length).toBeGreaterThan(10);
    for (const route of CHANGES_OF_PROGRAMS) {
      for (const headers of Object.values(foreign())) {
        const { text } = await change(route, { authorization, ...headers }, '/management/v1');
        expect([route, text]).not.toEqual([route, REFUSAL().text]);
      }
    }
    const response = await fetch(`${running.url}/management/v1/accounts/${accountId}/keys`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization, origin: 'https://ci.example' },
      body: JSON.stringify({ name: 'made by a program' }),
    });
    expect(response.status).toBe(200);
  });

  it('sends its key: the address for programs takes no cookie', async () => {
    const { cookie } = owner.api;
    const response = await fetch(`${running.url}/management/v1/accounts/${accountId}/keys`, {
      headers: { cookie, origin: running.url },
    });
    expect(response.status).toBe(401);
  });
});

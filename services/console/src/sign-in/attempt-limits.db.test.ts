import { randomUUID } from 'node:crypto';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newLink } from '@tollgate/common/secret-links';
import { findFreePort } from '@tollgate/local';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { joinByShownLink } from '../../testing/join-by-link.ts';
import { RunningConsole } from '../../testing/running-console.ts';
import type { ServedConsole } from '../../testing/serve-console.ts';

const PASSWORD = 'correct horse battery staple';

let running: RunningConsole;
/** Two replicas at one database, behind a proxy that reports clients in X-Forwarded-For. */
let replicas: readonly ServedConsole[];
beforeAll(async () => {
  const settings = {
    TRUSTED_PROXIES: '127.0.0.1,::1',
    OIDC_ISSUER: `http://localhost:${await findFreePort()}`,
    OIDC_CLIENT_ID: 'tollgate',
  };
  running = await RunningConsole.start(settings);
  replicas = [running.console, await running.replica(settings)];
});
// Limits count attempts: the costly hash of each is skipped.
beforeEach(() => {
  const isRight = async (password: string, hash: string | undefined) => password === PASSWORD && hash !== undefined;
  for (const { dependencies } of replicas) vi.spyOn(dependencies.passwords, 'matches').mockImplementation(isRight);
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await replicas?.[1]?.stop();
  await running.stop();
});

const newEmail = () => `${randomUUID()}@example.com`;
let networks = 0;
/** The address of a client in a network that was not used before. */
const newClient = () =>
  `198.${18 + Math.floor(++networks / 65_536)}.${Math.floor(networks / 256) % 256}.${networks % 256}`;

let requests = 0;

/** Sends a request of a client to the replicas in turn; returns its status. */
async function post(path: string, body: object, client: string): Promise<Response> {
  const { url } = replicas[requests++ % replicas.length] ?? running.console;
  const headers = { 'content-type': 'application/json', origin: url, 'x-forwarded-for': client };
  return fetch(`${url}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

const signIn = (email: string, client: string, password = 'wrong') => post('/session', { email, password }, client);

/** The statuses of a number of calls, one after the other. */
async function statusesOf(count: number, call: (index: number) => Promise<Response>): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index++) statuses.push((await call(index)).status);
  return statuses;
}

/** A person who has signed in once from a client. */
async function newPerson(client: string) {
  const accountId = await running.createAccount();
  const { api } = await running.signedIn('owner', accountId);
  const email = newEmail();
  const body = { email, role: 'developer' as const };
  const made = await api.ok('POST /accounts/{account_id}/invitations', { path: { account_id: accountId }, body });
  const secret = new URL(made.link ?? '').hash.slice(1);
  await joinByShownLink(running.url, { secret, password: PASSWORD });
  expect((await signIn(email, client, PASSWORD)).status).toBe(200);
  return email;
}

/** Attempts that exceed a limit of 30, even if several seconds pass in which it allows one more every 10. */
const SLOWLY = 36;

const repeated = (status: number, count: number) => Array.from({ length: count }, () => status);

describe('wrong passwords', () => {
  it.each([
    ['a person', () => newPerson(newClient())],
    ['nobody', async () => newEmail()],
  ])('for the address of %s are limited over all clients and replicas', async (_, address) => {
    const email = await address();
    expect(await statusesOf(10, () => signIn(email, newClient()))).toEqual(repeated(401, 10));
    const refused = await signIn(email, newClient());
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect(await refused.json()).toMatchObject({ error: { code: 'too_many_requests' } });
    // Also in upper case, at the other replica and with the right password.
    expect((await signIn(email.toUpperCase(), newClient(), PASSWORD)).status).toBe(429);
  });

  it('for an address do not lock its owner out where they have signed in before', async () => {
    const [home, elsewhere] = [newClient(), newClient()];
    const email = await newPerson(home);
    expect((await statusesOf(11, () => signIn(email, newClient()))).at(-1)).toBe(429);
    expect((await signIn(email, elsewhere, PASSWORD)).status).toBe(429);
    expect((await signIn(email, home, PASSWORD)).status).toBe(200);
    expect((await statusesOf(11, () => signIn(email, home))).at(-1)).toBe(429);
  });

  it('of a client are limited over all addresses, and others are not concerned', async () => {
    const [client, other] = [newClient(), newClient()];
    const email = await newPerson(other);
    const statuses = await statusesOf(SLOWLY, () => signIn(newEmail(), client));
    expect(statuses.slice(0, 30)).toEqual(repeated(401, 30));
    expect(statuses.at(-1)).toBe(429);
    const refused = await signIn(email, client, PASSWORD);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    expect((await signIn(email, other, PASSWORD)).status).toBe(200);
  });

  it('of a client count for its whole IPv6 network', async () => {
    const address = (index: number) => `2001:db8:1:2::${(index + 1).toString(16)}`;
    expect((await statusesOf(SLOWLY, (index) => signIn(newEmail(), address(index)))).at(-1)).toBe(429);
    expect((await signIn(newEmail(), '2001:db8:1:3::1')).status).toBe(401);
  });

  it('are all that counts: a right one does not', async () => {
    const client = newClient();
    const email = await newPerson(client);
    expect(await statusesOf(32, () => signIn(email, client, PASSWORD))).toEqual(repeated(200, 32));
  });

  it('count for a client whatever it writes into X-Forwarded-For itself', async () => {
    const client = newClient();
    const forged = (index: number) => `10.0.0.${index}, ${client}`;
    expect((await statusesOf(SLOWLY, (index) => signIn(newEmail(), forged(index)))).at(-1)).toBe(429);
  });
});

describe('strangers who guess', () => {
  it('do not lock out a person of the same network who has signed in there before', async () => {
    const client = newClient();
    const email = await newPerson(client);
    expect((await statusesOf(SLOWLY, () => signIn(newEmail(), client))).at(-1)).toBe(429);
    expect((await signIn(email, client, PASSWORD)).status).toBe(200);
  });

  it('do not keep a person from changing their password', async () => {
    const accountId = await running.createAccount();
    const { api, email } = await running.signedIn('developer', accountId);
    expect((await statusesOf(11, () => signIn(email, newClient()))).at(-1)).toBe(429);
    const body = { current_password: 'wrong', new_password: PASSWORD };
    expect((await api.call('PUT /person/password', { body })).status).toBe(400);
    const statuses: number[] = [];
    for (let index = 0; index < 10; index++) statuses.push((await api.call('PUT /person/password', { body })).status);
    expect(statuses.at(-1)).toBe(429);
  });

  it('lock nobody out who has a reset link, neither from using it nor afterwards', async () => {
    const [home, away] = [newClient(), newClient()];
    const email = await newPerson(home);
    expect((await statusesOf(11, () => signIn(email, newClient()))).at(-1)).toBe(429);
    expect((await statusesOf(SLOWLY, () => signIn(newEmail(), away))).at(-1)).toBe(429);
    const guess = () => post('/password-resets/use', { secret: 'x'.repeat(43), password: PASSWORD }, away);
    expect((await statusesOf(SLOWLY, guess)).at(-1)).toBe(429);
    expect((await signIn(email, away, PASSWORD)).status).toBe(429);
    const { url, secretSha256 } = newLink(running.url, 'reset');
    const { client } = running.auth;
    const request = { email, secretSha256, expiresAtMs: BigInt(Date.now() + 60_000) };
    await unaryCall(client.createPasswordReset.bind(client), request, { deadlineMs: 20_000 });
    const body = { secret: new URL(url).hash.slice(1), password: PASSWORD };
    expect((await post('/password-resets/use', body, away)).status).toBe(204);
    expect((await signIn(email, away, PASSWORD)).status).toBe(200);
  });

  it('do not lock out a management key of the same network', async () => {
    const client = newClient();
    const program = await running.program('operator');
    const call = (managementKey: string) => {
      const headers = { authorization: `Bearer ${managementKey}`, 'x-forwarded-for': client };
      return fetch(`${running.url}/management/v1/operator/accounts`, { headers });
    };
    const unknown = () => `mk-tollgate-${randomUUID().replaceAll('-', '')}`;
    const statuses = await Promise.all(Array.from({ length: 60 }, async () => (await call(unknown())).status));
    expect(statuses).toContain(429);
    expect((await call(program.managementKey)).status).toBe(200);
  });
});

it('payments learn the address of the client, and not what the client says it is', async () => {
  const accountId = await running.createAccount();
  const { managementKey } = await running.program('owner', accountId);
  const client = newClient();
  const response = await fetch(`${running.url}/management/v1/accounts/${accountId}/payments`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${managementKey}`,
      'content-type': 'application/json',
      'x-forwarded-for': `203.0.113.1, ${client}`,
    },
    body: JSON.stringify({ amount: '50', idempotency_key: randomUUID() }),
  });
  expect(response.status).toBe(200);
  expect(running.payments.clientAddresses).toEqual([client]);
  const unknown = await fetch(`${running.url}/management/v1/accounts/${accountId}/payments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount: '50', idempotency_key: randomUUID(), client_address: '203.0.113.1' }),
  });
  expect(unknown.status).toBe(400);
});

describe('requests for a password reset', () => {
  it('are limited for an address, known or not', async () => {
    for (const email of [await newPerson(newClient()), newEmail()]) {
      const ask = () => post('/password-resets', { email }, newClient());
      expect(await statusesOf(4, ask)).toEqual([204, 204, 204, 429]);
    }
  });

  it('are limited for a client', async () => {
    const client = newClient();
    const ask = () => post('/password-resets', { email: newEmail() }, client);
    expect(await statusesOf(21, ask)).toEqual([...repeated(204, 20), 429]);
  });
});

describe('guesses of the secret of a link', () => {
  it('are limited for a client, over all kinds of links', async () => {
    const client = newClient();
    const secret = 'x'.repeat(43);
    const guesses = [
      () => post('/invitations/find', { secret }, client),
      () => post('/invitations/accept', { secret, name: 'Eve', password: PASSWORD }, client),
      () => post('/password-resets/use', { secret, password: PASSWORD }, client),
    ];
    const guess = (index: number) => guesses[index % guesses.length]?.() ?? Promise.reject(new Error('no guess'));
    const statuses = await statusesOf(SLOWLY, guess);
    expect(statuses.slice(0, 30)).toEqual(repeated(404, 30));
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('passwords of new people', () => {
  it('are limited for a link, which is not used up by them', async () => {
    const { api } = await running.signedIn('operator');
    const path = { account_id: await running.createAccount() };
    const body = { email: newEmail(), role: 'developer' as const };
    const { link } = await api.ok('POST /accounts/{account_id}/invitations', { path, body });
    const secret = new URL(link ?? '').hash.slice(1);
    const accept = () => post('/invitations/accept', { secret, name: 'Eve', password: PASSWORD }, newClient());
    expect(await statusesOf(6, accept)).toEqual([...repeated(200, 5), 429]);
  });
});

describe('sign-ins with OpenID Connect', () => {
  it('that a client begins are limited', async () => {
    const client = newClient();
    const begin = async (index: number) => {
      const { url } = replicas[index % replicas.length] ?? running.console;
      const options = { redirect: 'manual', headers: { 'x-forwarded-for': client } } as const;
      const location = (await fetch(`${url}/api/oidc/start`, options)).headers.get('location') ?? '';
      return new URL(location).searchParams.get('error');
    };
    const errors: (string | null)[] = [];
    for (let index = 0; index < 64; index++) errors.push(await begin(index));
    // The provider is down; its place in the limit is taken all the same, and refills slowly.
    expect(errors.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 'unavailable'));
    expect(errors.at(-1)).toBe('too_many_requests');
  });
});

describe('unknown management keys', () => {
  it('are limited for a client', async () => {
    const client = newClient();
    const call = (index: number) => {
      const { url } = replicas[index % replicas.length] ?? running.console;
      const authorization = `Bearer mk-tollgate-${randomUUID().replaceAll('-', '')}`;
      const headers = { authorization, 'x-forwarded-for': client };
      return fetch(`${url}/management/v1/operator/accounts`, { headers });
    };
    const statuses = await Promise.all(Array.from({ length: 60 }, (_, index) => call(index)));
    const refused = statuses.filter(({ status }) => status === 429).length;
    expect(statuses.filter(({ status }) => status === 401).length).toBe(60 - refused);
    expect(refused).toBeGreaterThan(10);
  });
});

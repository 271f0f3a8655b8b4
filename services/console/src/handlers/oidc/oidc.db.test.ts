import { randomUUID } from 'node:crypto';
import { findFreePort } from '@tollgate/local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../testing/api-client.ts';
import { type HostileProvider, type Lie, runHostileProvider } from '../../../testing/hostile-provider.ts';
import { OIDC_CLIENT, type RunningProvider, runOidcProvider } from '../../../testing/oidc-provider.ts';
import { RedirectBrowser } from '../../../testing/redirect-browser.ts';
import { RunningConsole } from '../../../testing/running-console.ts';
import { deleteExpiredOidcFlows } from '../../store/oidc-flows.ts';

const settingsOf = (port: number) => ({
  OIDC_ISSUER: `http://localhost:${port}`,
  OIDC_CLIENT_ID: OIDC_CLIENT.id,
  OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
});

/** Pages of the console that a sign-in ends at. */
const isEnd = (console: RunningConsole) => (url: URL) =>
  url.origin === console.url && !url.pathname.startsWith('/api/') && url.pathname !== '/oidc/callback';
const isCallback = (url: URL) => url.pathname === '/oidc/callback';

const startAddress = (console: RunningConsole, next?: string) =>
  `${console.url}/api/oidc/start${next === undefined ? '' : `?${new URLSearchParams({ next })}`}`;

async function sessionOf(console: RunningConsole, browser: RedirectBrowser) {
  return new ApiClient(console.url, { cookie: browser.cookies(console.url) }).call('GET /session');
}

describe('with a provider', () => {
  const person = (name: string, emailVerified = true) => ({
    subject: `subject-${name}`,
    email: `${name}-${randomUUID()}@example.com`,
    emailVerified,
    name: `Person ${name}`,
  });
  const invited = person('invited');
  const uninvited = person('uninvited');
  const unverified = person('unverified', false);
  let running: RunningConsole;
  let provider: RunningProvider | undefined;
  let port: number;

  beforeAll(async () => {
    port = await findFreePort();
    running = await RunningConsole.start(settingsOf(port));
  });
  afterAll(async () => {
    await running.stop();
    await provider?.stop();
  });

  async function signIn(subject: string, next?: string) {
    provider?.signInAs(subject);
    const browser = new RedirectBrowser();
    const end = await browser.follow(startAddress(running, next), isEnd(running));
    return { browser, end: end.slice(running.url.length) };
  }

  async function invite(email: string) {
    const accountId = await running.createAccount('Acme');
    const { api } = await running.signedIn('operator');
    const body = { email, role: 'developer' as const };
    await api.ok('POST /accounts/{account_id}/invitations', { path: { account_id: accountId }, body });
    return accountId;
  }

  it('runs while the provider is down, says so, and signs in once it is up', async () => {
    expect((await signIn(invited.subject, '/keys')).end).toBe('/sign-in?error=unavailable&next=%2Fkeys');
    provider = await runOidcProvider(port, `${running.url}/oidc/callback`, [invited, uninvited, unverified]);
    const accountId = await invite(invited.email);
    const { browser, end } = await signIn(invited.subject, '/keys?status=active');
    expect(end).toBe('/keys?status=active');
    expect(await sessionOf(running, browser)).toMatchObject({
      status: 200,
      body: {
        person: { email: invited.email, name: invited.name, has_password: false },
        memberships: [{ account_id: accountId, role: 'developer' }],
      },
    });
    expect(browser.cookies(running.url)).not.toContain('tollgate-oidc');
  });

  it('lets in nobody without an invitation, nor by an address that is not verified', async () => {
    await invite(unverified.email);
    for (const { subject } of [uninvited, unverified]) {
      const { browser, end } = await signIn(subject);
      expect(end).toBe('/sign-in?error=not_allowed');
      expect(await sessionOf(running, browser)).toMatchObject({ status: 200, body: null });
    }
  });

  it.each(['//example.com', '/\\example.com', '/..//example.com', 'https://example.com', '/\t/example.com'])(
    'leads to no other site: %j',
    async (next) => {
      expect((await signIn(invited.subject, next)).end).toBe('/');
    },
  );

  it('keeps its cookie from scripts and other sites, for ten minutes', async () => {
    const response = await new RedirectBrowser().request(startAddress(running));
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^tollgate-oidc=[\w-]{43}; Max-Age=600; Path=\/; Expires=.*; HttpOnly; SameSite=Lax$/),
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { searchParams } = new URL(response.headers.get('location') ?? '');
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `${running.url}/oidc/callback`,
    });
  });

  it('keeps its cookie to https and the host, where the console has it', async () => {
    const replica = await running.replica({ ...settingsOf(port), CONSOLE_URL: 'https://console.example' });
    try {
      const response = await fetch(`${replica.url}/api/oidc/start`, { redirect: 'manual' });
      expect(response.headers.getSetCookie()).toEqual([
        expect.stringMatching(
          /^__Host-tollgate-oidc=[\w-]{43}; Max-Age=600; Path=\/; .*; HttpOnly; Secure; SameSite=Lax$/,
        ),
      ]);
      const { searchParams } = new URL(response.headers.get('location') ?? '');
      expect(searchParams.get('redirect_uri')).toBe('https://console.example/oidc/callback');
    } finally {
      await replica.stop();
    }
  });

  it('refuses a sign-in that has expired, which is removed', async () => {
    const { pool } = running.console.dependencies;
    await deleteExpiredOidcFlows(pool, 1_000);
    const browser = new RedirectBrowser();
    provider?.signInAs(invited.subject);
    const callback = await browser.follow(startAddress(running), isCallback);
    await pool.query('UPDATE console.oidc_flows SET expires_at = now()');
    expect(await browser.follow(callback, isEnd(running))).toBe(`${running.url}/sign-in?error=expired`);
    expect(await sessionOf(running, browser)).toMatchObject({ status: 200, body: null });
    expect(await deleteExpiredOidcFlows(pool, 1_000)).toBeGreaterThan(0);
    const { rowCount } = await pool.query('SELECT FROM console.oidc_flows');
    expect(rowCount).toBe(0);
  });
});

describe('with a hostile provider', () => {
  let running: RunningConsole;
  let hostile: HostileProvider;
  let join: string;

  beforeAll(async () => {
    const port = await findFreePort();
    hostile = await runHostileProvider(port, OIDC_CLIENT.id);
    running = await RunningConsole.start(settingsOf(port));
    join = await running.createAccount('Joined');
    const { OIDC_JOIN } = running.console.dependencies.config;
    (OIDC_JOIN as Map<string, unknown>).set('joins.example', { accountId: join, role: 'billing' });
  });
  afterAll(async () => {
    await running.stop();
    await hostile.stop();
  });

  const newcomer = () => ({ sub: randomUUID(), email: `${randomUUID()}@joins.example` });

  async function signIn(lie?: Lie) {
    hostile.prepare(newcomer(), lie);
    const browser = new RedirectBrowser();
    const end = await browser.follow(startAddress(running), isEnd(running));
    return { end: end.slice(running.url.length), session: await sessionOf(running, browser) };
  }

  it('lets a person of an allowed domain join its account when the provider says the truth', async () => {
    const { end, session } = await signIn();
    expect(end).toBe('/');
    expect(session.body?.memberships).toEqual([{ account_id: join, account_name: 'Joined', role: 'billing' }]);
  });

  it('takes a verified address with a Kelvin sign for nobody else', async () => {
    const name = randomUUID();
    hostile.prepare({ sub: randomUUID(), email: `kate-${name}@joins.example` });
    const kate = new RedirectBrowser();
    await kate.follow(startAddress(running), isEnd(running));
    expect((await sessionOf(running, kate)).status).toBe(200);
    hostile.prepare({ sub: randomUUID(), email: `\u212Aate-${name}@joins.example` });
    const other = new RedirectBrowser();
    expect(await other.follow(startAddress(running), isEnd(running))).toBe(`${running.url}/sign-in?error=failed`);
    expect(await sessionOf(running, other)).toMatchObject({ status: 200, body: null });
    const body = { email: `\u212Aate-${name}@joins.example`, password: 'x' };
    const typed = await new ApiClient(running.url, undefined).call('POST /session', { body });
    expect(typed).toMatchObject({ status: 400, error: { field: 'email' } });
  });

  const past = Math.floor(Date.now() / 1_000) - 3_600;
  it.each<[string, Lie]>([
    ['issuer', { claims: { iss: 'https://issuer.example' } }],
    ['nonce', { claims: { nonce: 'of another sign-in' } }],
    ['missing nonce', { claims: { nonce: undefined } }],
    ['audience', { claims: { aud: 'another client' } }],
    ['signature', { foreignKey: true }],
    ['missing signature', { unsigned: true }],
    ['expired token', { claims: { iat: past - 300, exp: past } }],
  ])('signs nobody in by a wrong ID token: %s', async (_, lie) => {
    const before = hostile.exchanges();
    const { end, session } = await signIn(lie);
    expect(end).toBe('/sign-in?error=failed');
    expect(session).toMatchObject({ status: 200, body: null });
    expect(hostile.exchanges()).toBe(before + 1);
  });

  /** A browser that has come back from the provider, and the address it came back to. */
  async function returning() {
    hostile.prepare(newcomer());
    const browser = new RedirectBrowser();
    return { browser, callback: new URL(await browser.follow(startAddress(running), isCallback)) };
  }

  it.each<[string, (callback: URL) => void]>([
    ['missing', ({ searchParams }) => searchParams.delete('state')],
    ['foreign', ({ searchParams }) => searchParams.set('state', 'foreign')],
    ['repeated', ({ searchParams }) => searchParams.append('state', 'foreign')],
  ])('signs nobody in with a %s state, and exchanges no code', async (_, change) => {
    const { browser, callback } = await returning();
    const before = hostile.exchanges();
    const honest = callback.href;
    change(callback);
    expect(await browser.follow(callback.href, isEnd(running))).toBe(`${running.url}/sign-in?error=expired`);
    expect(await sessionOf(running, browser)).toMatchObject({ status: 200, body: null });
    expect(hostile.exchanges()).toBe(before);
    // The sign-in that the person has begun still works.
    expect(await browser.follow(honest, isEnd(running))).toBe(`${running.url}/`);
    expect((await sessionOf(running, browser)).status).toBe(200);
  });

  it('signs nobody in by the address of another browser', async () => {
    const { callback } = await returning();
    const other = new RedirectBrowser();
    await other.request(startAddress(running));
    expect(await other.follow(callback.href, isEnd(running))).toBe(`${running.url}/sign-in?error=expired`);
    expect(await sessionOf(running, other)).toMatchObject({ status: 200, body: null });
  });

  it('takes a code once, also when the browser keeps its cookie', async () => {
    const { browser, callback } = await returning();
    const cookie = browser.cookies(running.url);
    expect(await browser.follow(callback.href, isEnd(running))).toBe(`${running.url}/`);
    const before = hostile.exchanges();
    const replayed = await fetch(callback, { redirect: 'manual', headers: { cookie } });
    expect(replayed.headers.get('location')).toBe(`${running.url}/sign-in?error=expired`);
    expect(replayed.headers.getSetCookie()).toEqual([]);
    expect(hostile.exchanges()).toBe(before);
  });
});

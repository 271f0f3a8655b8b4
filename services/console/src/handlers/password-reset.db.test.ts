import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ApiClient } from '../../testing/api-client.ts';
import { MailServer } from '../../testing/mail-server.ts';
import { RunningConsole } from '../../testing/running-console.ts';

const PASSWORD = 'correct horse battery staple';
const OTHER = 'another long password';

let mails: MailServer;
let running: RunningConsole;
let anyone: ApiClient;
beforeAll(async () => {
  mails = await MailServer.start();
  running = await RunningConsole.start({ SMTP_URL: mails.url, MAIL_FROM: 'Tollgate <t@example.com>' });
  anyone = new ApiClient(running.url, undefined);
});
afterAll(async () => {
  await running.stop();
  await mails.stop();
});

/** The secret of the newest link that an address was mailed. */
async function mailedSecret(address: string, kind: 'reset' | 'invitation', count: number): Promise<string> {
  const link = new RegExp(`${running.url}/${kind}#([\\w-]{43})`);
  return vi.waitFor(() => {
    const links = mails.to(address).flatMap(({ source }) => link.exec(source)?.[1] ?? []);
    expect(links).toHaveLength(count);
    return links.at(-1) ?? '';
  }, 10_000);
}

/** A new person, who has accepted the invitation in their mailbox and set PASSWORD. */
async function newPerson() {
  const accountId = await running.createAccount();
  const { api } = await running.signedIn('owner', accountId);
  const email = `ana-${randomUUID()}@example.com`;
  const body = { email, role: 'developer' as const };
  await api.ok('POST /accounts/{account_id}/invitations', { path: { account_id: accountId }, body });
  const secret = await mailedSecret(email, 'invitation', 1);
  await anyone.ok('POST /invitations/accept', { body: { secret, name: 'Ana', password: PASSWORD } });
  return email;
}

const signIn = (email: string, password: string) => anyone.call('POST /session', { body: { email, password } });
const askFor = (email: string) => anyone.call('POST /password-resets', { body: { email } });
const reset = (secret: string, password: string) =>
  anyone.call('POST /password-resets/use', { body: { secret, password } });

function browserOf({ headers }: { headers: Headers }): ApiClient {
  return new ApiClient(running.url, { cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' });
}

describe('a password reset', () => {
  it('sets a password once by the link that was mailed, ends all sessions, and is confirmed by e-mail', async () => {
    const email = await newPerson();
    const browser = browserOf(await signIn(email, PASSWORD));
    expect(await askFor(email.toUpperCase())).toMatchObject({ status: 204 });
    const secret = await mailedSecret(email, 'reset', 1);
    expect(await reset(secret, OTHER)).toMatchObject({ status: 204 });
    expect(await browser.call('GET /session')).toMatchObject({ status: 200, body: null });
    expect(await signIn(email, PASSWORD)).toMatchObject({ status: 401 });
    expect(await signIn(email, OTHER)).toMatchObject({ status: 200 });
    expect(await reset(secret, PASSWORD)).toMatchObject({ status: 404, error: { code: 'not_found' } });
    expect(await signIn(email, OTHER)).toMatchObject({ status: 200 });
    await vi.waitFor(() => expect(mails.to(email).at(-1)?.subject).toBe('Your Tollgate password was changed'), 10_000);
    expect(mails.to(email).at(-1)?.source).not.toContain('#');
  });

  it('is of no use once it has expired, or with a password that is too short', async () => {
    const email = await newPerson();
    await askFor(email);
    const secret = await mailedSecret(email, 'reset', 1);
    expect(await reset(secret, 'short')).toMatchObject({ status: 400, error: { field: 'password' } });
    const { pool } = running.console.dependencies;
    const { rows } = await pool.query(
      `UPDATE auth.password_resets r SET expires_at = clock_timestamp() FROM auth.people p
       WHERE p.person_id = r.person_id AND p.email = $1 RETURNING r.created_at`,
      [email],
    );
    expect(rows).toHaveLength(1);
    expect(await reset(secret, OTHER)).toMatchObject({ status: 404 });
    expect(await signIn(email, PASSWORD)).toMatchObject({ status: 200 });
  });

  it('ends the other links of the person, and so does a changed password', async () => {
    const email = await newPerson();
    await askFor(email);
    const first = await mailedSecret(email, 'reset', 1);
    await askFor(email);
    const second = await mailedSecret(email, 'reset', 2);
    expect(await reset(second, OTHER)).toMatchObject({ status: 204 });
    expect(await reset(first, PASSWORD)).toMatchObject({ status: 404 });
    const browser = browserOf(await signIn(email, OTHER));
    await askFor(email);
    const third = await mailedSecret(email, 'reset', 3);
    const body = { current_password: OTHER, new_password: PASSWORD };
    expect(await browser.call('PUT /person/password', { body })).toMatchObject({ status: 204 });
    expect(await reset(third, OTHER)).toMatchObject({ status: 404 });
    expect(await signIn(email, PASSWORD)).toMatchObject({ status: 200 });
  });

  it('asked for an unknown address has the same response, and mails nobody', async () => {
    const email = await newPerson();
    const unknown = `nobody-${randomUUID()}@example.com`;
    const before = mails.mails.length;
    const responses = [await askFor(unknown), await askFor(email)];
    const shown = responses.map(({ status, body, headers }) => ({ status, body, headers: withoutTrace(headers) }));
    expect(shown[0]).toEqual({ status: 204, body: '', headers: shown[1]?.headers });
    expect(shown[1]).toMatchObject({ status: 204, body: '' });
    // The mail of the known address comes after that of the unknown one would have.
    await mailedSecret(email, 'reset', 1);
    expect(mails.mails.slice(before).map(({ to }) => to)).toEqual([email]);
    expect(mails.offered).not.toContain(unknown);
  });
});

function withoutTrace(headers: Headers): object {
  const { date, 'x-trace-id': traceId, ...others } = Object.fromEntries(headers);
  expect([date, traceId]).toEqual([expect.any(String), expect.any(String)]);
  return others;
}

import { request } from 'node:http';
import { createLogger } from '@tollgate/common/logging';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { ApiClient } from '../../testing/api-client.ts';
import { MailServer } from '../../testing/mail-server.ts';
import { RunningConsole } from '../../testing/running-console.ts';
import type { ServedConsole } from '../../testing/serve-console.ts';

const SECRET = 'sk-tollgate-nobodymayreadthis0123456789';
const MANAGEMENT_KEY = 'mk-tollgate-nobodymayreadthis0123456789';
const PASSWORD = 'hunter2 hunter2 hunter2';
const LINK_SECRET = 'link-secret-nobody-may-read-0123456789abcdef';
const SECRETS = [SECRET, MANAGEMENT_KEY, PASSWORD, LINK_SECRET];

let mails: MailServer;
let running: RunningConsole;
let served: ServedConsole;
let accountId: string;
let cookie: string;
const lines: string[] = [];
beforeAll(async () => {
  mails = await MailServer.start();
  running = await RunningConsole.start();
  const logger = createLogger('test', 'trace', { destination: { write: (line) => void lines.push(line) } });
  served = await running.replica({ SMTP_URL: mails.url, MAIL_FROM: 'Tollgate <t@example.com>' }, logger);
  accountId = await running.createAccount();
  cookie = (await running.signedIn('owner', accountId)).api.cookie;
});
beforeEach(() => lines.splice(0));
afterAll(async () => {
  await served?.stop();
  await running.stop();
  await mails.stop();
});

interface Sent {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a request as it is, however malformed; returns all of its response. */
function send({ method = 'POST', path, headers = {}, body }: Sent): Promise<string> {
  const all = { origin: served.url, 'content-type': 'application/json', cookie, ...headers };
  return new Promise((resolve, reject) => {
    const sent = request(`${served.url}`, { method, path, headers: all }, (response) => {
      let text = `${response.statusCode} ${JSON.stringify(response.rawHeaders)}`;
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve(text)).on('error', reject);
    });
    sent.on('error', reject).end(body);
  });
}

const keys = () => `/api/accounts/${accountId}/keys`;

const REQUESTS: Record<string, () => Sent> = {
  'a body that is not JSON': () => ({ path: keys(), body: `{"name": ${SECRET}` }),
  'a body that is a text': () => ({ path: keys(), body: JSON.stringify(SECRET) }),
  'a body of another type': () => ({ path: keys(), headers: { 'content-type': 'text/plain' }, body: SECRET }),
  'a wrong value': () => ({ path: keys(), body: JSON.stringify({ name: 'x', expires_at: SECRET }) }),
  'wrong values deep inside': () => ({
    path: keys(),
    body: JSON.stringify({ name: 'x', allowed_models: [{ secret: SECRET }], caps: { day: SECRET } }),
  }),
  'a value that auth refuses': () => ({ path: keys(), body: JSON.stringify({ name: 'x', tags: { '1': SECRET } }) }),
  'a query that is wrong': () => ({ method: 'GET', path: `${keys()}?limit=${SECRET}` }),
  'a path that is wrong': () => ({ method: 'GET', path: `${keys()}/${SECRET}` }),
  'a path that cannot be decoded': () => ({ method: 'GET', path: `${keys()}/%E0%A4%A?key=${SECRET}` }),
  'a password that is wrong': () => ({
    path: '/api/session',
    body: JSON.stringify({ email: 'nobody@example.com', password: PASSWORD }),
  }),
  'a password in the place of the address': () => ({
    path: '/api/session',
    body: JSON.stringify({ email: PASSWORD, password: PASSWORD }),
  }),
  'a password that is too long': () => ({
    path: '/api/password-resets/use',
    body: JSON.stringify({ secret: LINK_SECRET, password: PASSWORD.repeat(100) }),
  }),
  'a link that is wrong': () => ({ path: '/api/invitations/find', body: JSON.stringify({ secret: LINK_SECRET }) }),
  'a key among the headers of a person': () => ({
    method: 'GET',
    path: keys(),
    headers: { authorization: `Bearer ${SECRET}`, cookie: `tollgate-session=${SECRET}` },
  }),
  'an API key in the place of a management key': () => ({
    method: 'GET',
    path: `/management/v1/accounts/${accountId}/keys`,
    headers: { authorization: `Bearer ${SECRET}` },
  }),
  'an unknown management key': () => ({
    method: 'GET',
    path: `/management/v1/accounts/${accountId}/keys`,
    headers: { authorization: `Bearer ${MANAGEMENT_KEY}`, cookie: '' },
  }),
  'a header of authorization of another form': () => ({
    method: 'GET',
    path: `/management/v1/accounts/${accountId}/keys`,
    headers: { authorization: MANAGEMENT_KEY },
  }),
};

it.each(Object.keys(REQUESTS))(
  'a request with %s is refused, and no secret in it is logged or sent back',
  async (kind) => {
    const response = await send(REQUESTS[kind]?.() ?? { path: '' });
    expect(response).toMatch(/^4\d\d /);
    await vi.waitFor(() => expect(lines.join('')).toContain('"msg":"request"'), 5_000);
    for (const secret of SECRETS) {
      expect(lines.join('')).not.toContain(secret);
      expect(response).not.toContain(secret);
    }
  },
);

it('a mail that is not accepted is logged without the address, its link or the words of the mail server', async () => {
  const email = 'somebody-private@example.com';
  const { api } = await running.signedIn('owner', accountId);
  const path = { account_id: accountId };
  const body = { email, role: 'developer' as const };
  const { link } = await api.ok('POST /accounts/{account_id}/invitations', { path, body });
  const anyone = new ApiClient(served.url, undefined);
  const secret = new URL(link ?? '').hash.slice(1);
  await anyone.ok('POST /invitations/accept', { body: { secret, name: 'Ana', password: PASSWORD } });
  mails.refusedRecipients.set(email, 550);
  await anyone.ok('POST /password-resets', { body: { email } });
  await vi.waitFor(() => expect(lines.join('')).toContain('an e-mail was not sent'), 10_000);
  expect(mails.offered).toContain(email);
  const written = lines.join('');
  for (const text of [email, secret, '/reset#', ...SECRETS, 'refused', 'recipients']) {
    expect(written).not.toContain(text);
  }
});

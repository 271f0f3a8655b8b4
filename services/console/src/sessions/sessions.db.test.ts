import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPerson } from '../../testing/create-person.ts';
import { RunningConsole } from '../../testing/running-console.ts';
import { ensureFirstOperator } from '../jobs/ensure-first-operator.ts';

const EMAIL = 'first@example.com';
const PASSWORD = 'correct horse battery';

let running: RunningConsole;
beforeAll(async () => {
  running = await RunningConsole.start();
  const { auth, passwords, logger } = running.console.dependencies;
  const config = { FIRST_OPERATOR_EMAIL: EMAIL, FIRST_OPERATOR_PASSWORD: PASSWORD };
  await ensureFirstOperator({ auth, passwords, logger, config }, new AbortController().signal);
});
afterAll(() => running.stop());

/** Signs in at a console as its own pages do. */
const signIn = (url: string, origin: string) =>
  fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
  });

it('on loopback a session cookie is kept from scripts, other sites and the disk', async () => {
  const response = await signIn(running.url, running.url);
  expect(response.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^tollgate-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
  ]);
  expect(response.headers.get('strict-transport-security')).toBeNull();
});

it('with https it is kept to it, and bound to the host', async () => {
  const origin = 'https://console.example';
  const replica = await running.replica({ CONSOLE_URL: origin });
  try {
    const response = await signIn(replica.url, origin);
    const [cookie = '', ...others] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-tollgate-session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    expect(others).toEqual([]);
    expect(response.headers.get('strict-transport-security')).toBe('max-age=63072000');
    const value = cookie.split(';')[0] ?? '';
    const sessionWith = async (header: string) =>
      (await fetch(`${replica.url}/api/person/sessions`, { headers: { cookie: header } })).status;
    expect(await sessionWith(value)).toBe(200);
    // Another host of the same domain can set the plain name, and a second value.
    expect(await sessionWith(value.replace('__Host-', ''))).toBe(401);
    expect(await sessionWith(`${value}; ${value}`)).toBe(401);
    const signedOut = await fetch(`${replica.url}/api/session`, {
      method: 'DELETE',
      headers: { cookie: value, origin },
    });
    expect(signedOut.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-tollgate-session=; Path=\/; Expires=Thu, 01 Jan 1970 .*; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
    expect(await sessionWith(value)).toBe(401);
  } finally {
    await replica.stop();
  }
});

it('a session ends after a day without use and after 30 days, and only its hash is stored', async () => {
  const { personId } = await createPerson(running.auth.client, 'operator', '');
  const api = await running.console.signIn(personId);
  const { pool } = running.console.dependencies;
  const set = (columns: string) =>
    pool.query(`UPDATE console.sessions SET ${columns} WHERE person_id = $1`, [personId]);
  const token = api.cookie.split('=')[1] ?? '';
  const { rows } = await pool.query('SELECT s::text AS text FROM console.sessions s WHERE person_id = $1', [personId]);
  expect(rows).toHaveLength(1);
  expect(rows[0].text).not.toContain(token);
  expect(await api.ok('GET /session')).not.toBeNull();
  await set(`last_seen_at = now() - interval '23 hours 59 minutes'`);
  expect(await api.ok('GET /session')).not.toBeNull();
  await set(`last_seen_at = now() - interval '24 hours 1 minute'`);
  expect(await api.ok('GET /session')).toBeNull();
  await set(`last_seen_at = now(), expires_at = now() + interval '1 minute'`);
  expect(await api.ok('GET /session')).not.toBeNull();
  await set('expires_at = now()');
  expect(await api.ok('GET /session')).toBeNull();
});

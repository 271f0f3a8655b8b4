import { hashOfSecret } from '@tollgate/common/secret-links';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RunningConsole, type SignedIn } from '../../testing/running-console.ts';
import { hashOfUserCode, newUserCode } from './codes.ts';

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';
const CLIENT = { client_id: 'tollgate-cli' };

let running: RunningConsole;
let person: SignedIn;
beforeAll(async () => {
  running = await RunningConsole.start();
  person = await running.signedIn('operator');
});
afterAll(() => running.stop());
beforeEach(() => query('DELETE FROM console.attempts'));

const query = (sql: string, values: unknown[] = []) => running.console.dependencies.pool.query(sql, values);

/** What the endpoints return, of success and of failure. */
interface Body {
  device_code: string;
  user_code: string;
  verification_uri_complete: string;
  access_token: string;
}

async function post(path: string, form: Record<string, string> | string) {
  const response = await fetch(`${running.url}/oauth/${path}`, {
    method: 'POST',
    headers: { 'user-agent': 'tollgate on laptop', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
}

const begin = async () => (await post('device_authorization', CLIENT)).body;
const ask = (code: string) => post('token', { ...CLIENT, grant_type: GRANT_TYPE, device_code: code });
const decide = (code: string, approve: boolean, { api } = person) =>
  api.call('POST /device-authorizations/decide', { body: { user_code: code, approve } });
/** Time for the next question has come. */
const wait = () => query("UPDATE console.device_authorizations SET asked_at = now() - interval '1 hour'");

const bearer = (token: string, path: string, init: RequestInit = {}) =>
  fetch(`${running.url}/api${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });

describe('the device flow', () => {
  it('gives the command line a session that a person confirms, sees and ends', async () => {
    const begun = await post('device_authorization', CLIENT);
    expect(begun).toMatchObject({ status: 200, body: { expires_in: 600, interval: 5 } });
    expect(begun.headers.get('cache-control')).toBe('no-store');
    const { device_code: deviceCode, user_code: userCode, verification_uri_complete: page } = begun.body;
    expect(userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(page).toBe(`${running.url}/device?code=${userCode}`);
    expect(await ask(deviceCode)).toMatchObject({ status: 400, body: { error: 'authorization_pending' } });
    const typed = { body: { user_code: userCode.toLowerCase().replace('-', ' ') } };
    expect(await person.api.ok('POST /device-authorizations/find', typed)).toMatchObject({
      device: 'tollgate on laptop',
      ip_address: '127.0.0.1',
    });
    expect(await decide(userCode, true)).toMatchObject({ status: 204 });
    expect(await decide(userCode, true)).toMatchObject({ status: 404 });
    await wait();
    const issued = await ask(deviceCode);
    expect(issued).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 2_592_000 } });
    const { access_token: token } = issued.body;
    expect(await ask(deviceCode)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });

    // Its session works without cookie and origin, for changes too, and gives no others.
    expect((await bearer(token, '/operator/accounts')).status).toBe(200);
    const json = { 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Made', idempotency_key: 'one' });
    expect((await bearer(token, '/operator/accounts', { method: 'POST', headers: json, body })).status).toBe(200);
    const next = JSON.stringify({ user_code: (await begin()).user_code, approve: true });
    const decision = { method: 'POST', headers: json, body: next };
    expect((await bearer(token, '/device-authorizations/decide', decision)).status).toBe(403);
    const { data } = await person.api.ok('GET /person/sessions');
    const session = data.find(({ kind }) => kind === 'command_line');
    expect(session).toMatchObject({ device: 'tollgate on laptop', current: false });
    const path = { session_id: session?.session_id ?? '' };
    await person.api.ok('DELETE /person/sessions/{session_id}', { path });
    expect((await bearer(token, '/operator/accounts')).status).toBe(401);
  });

  it('takes a token neither as a cookie, nor that of a browser as a token', async () => {
    const { device_code: deviceCode, user_code: userCode } = await begin();
    await decide(userCode, true);
    const { access_token: token } = (await ask(deviceCode)).body;
    const [name, cookie = ''] = person.api.cookie.split('=');
    const asCookie = await fetch(`${running.url}/api/operator/accounts`, { headers: { cookie: `${name}=${token}` } });
    expect(asCookie.status).toBe(401);
    expect((await bearer(cookie, '/operator/accounts')).status).toBe(401);
    // A token that is not valid does not fall back to the cookie.
    const both = { headers: { cookie: person.api.cookie } };
    expect((await bearer('unknown', '/operator/accounts', both)).status).toBe(401);
    expect((await bearer(token, '/session', { method: 'DELETE' })).status).toBe(204);
    expect((await bearer(token, '/operator/accounts')).status).toBe(401);
  });

  it('says when somebody refuses, nobody confirms in time, or it is asked too often', async () => {
    const refused = await begin();
    await decide(refused.user_code, false);
    expect(await ask(refused.device_code)).toMatchObject({ status: 400, body: { error: 'access_denied' } });
    expect(await ask(refused.device_code)).toMatchObject({ body: { error: 'invalid_grant' } });

    const late = await begin();
    const ofLate = [hashOfSecret(late.device_code)];
    await query('UPDATE console.device_authorizations SET expires_at = now() WHERE device_code_sha256 = $1', ofLate);
    expect(await decide(late.user_code, true)).toMatchObject({ status: 404 });
    expect(await ask(late.device_code)).toMatchObject({ status: 400, body: { error: 'expired_token' } });

    const eager = await begin();
    await ask(eager.device_code);
    await decide(eager.user_code, true);
    expect(await ask(eager.device_code)).toMatchObject({ status: 400, body: { error: 'slow_down' } });
    const ofEager = [hashOfSecret(eager.device_code)];
    const { rows } = await query(
      'SELECT interval_s FROM console.device_authorizations WHERE device_code_sha256 = $1',
      ofEager,
    );
    expect(rows).toEqual([{ interval_s: 10 }]);
    await wait();
    expect(await ask(eager.device_code)).toMatchObject({ status: 200 });
  });

  it.each([
    ['device_authorization', '', 'invalid_request', 400],
    ['device_authorization', 'client_id=other', 'invalid_client', 401],
    ['device_authorization', 'client_id=tollgate-cli&client_id=tollgate-cli', 'invalid_request', 400],
    ['device_authorization', `client_id=${'x'.repeat(20_000)}`, 'invalid_request', 400],
    ['token', 'client_id=tollgate-cli', 'invalid_request', 400],
    ['token', 'client_id=tollgate-cli&grant_type=password', 'unsupported_grant_type', 400],
    ['token', `client_id=other&grant_type=${GRANT_TYPE}&device_code=x`, 'invalid_client', 401],
    ['token', `client_id=tollgate-cli&grant_type=${GRANT_TYPE}`, 'invalid_request', 400],
    ['token', `client_id=tollgate-cli&grant_type=${GRANT_TYPE}&device_code=x`, 'invalid_grant', 400],
  ])('%s of %s is %s', async (path, form, error, status) => {
    const response = await post(path, form);
    expect(response).toMatchObject({ status, body: { error, error_description: expect.any(String) } });
  });

  it('is limited: beginnings of a network, codes that are guessed, and what waits', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 21; count += 1) statuses.push((await post('device_authorization', CLIENT)).status);
    expect(statuses).toEqual([...Array(20).fill(200), 429]);
    await query('DELETE FROM console.attempts');
    for (let count = 0; count < 10; count += 1) expect((await decide(newUserCode(), true)).status).toBe(404);
    const { user_code: userCode } = await begin();
    expect(await decide(userCode, true)).toMatchObject({ status: 429 });
    await query(`INSERT INTO console.device_authorizations
        (device_code_sha256, user_code_sha256, device, ip_address, expires_at, interval_s)
      SELECT sha256(i::text::bytea), sha256(i::text::bytea), '', '', now() + interval '10 minutes', 5
      FROM generate_series(1, 1000) i`);
    expect(await post('device_authorization', CLIENT)).toMatchObject({ status: 503 });
    await query('DELETE FROM console.device_authorizations');
  });

  it('stores no code and no token', async () => {
    const { device_code: deviceCode, user_code: userCode } = await begin();
    const { rows } = await query('SELECT device_code_sha256, user_code_sha256 FROM console.device_authorizations');
    expect(rows).toContainEqual({
      device_code_sha256: hashOfSecret(deviceCode),
      user_code_sha256: hashOfUserCode(userCode),
    });
  });
});

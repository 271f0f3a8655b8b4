import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { address, call } from './client.ts';
import { isSignedOut, signedInAgain } from './signed-out.ts';

const fetched = vi.fn<typeof fetch>();
const ACCOUNT = '0199aaaa-bbbb-7ccc-8ddd-000000000001';

beforeEach(() => {
  fetched.mockReset();
  vi.stubGlobal('fetch', fetched);
});
afterEach(() => vi.unstubAllGlobals());

function refusal(status: number, code: string, field: string | null = null): Response {
  return Response.json({ error: { code, message: 'What to do.', field } }, { status });
}

test('an address has its path and the parameters that are set', () => {
  const query = { start: '2026-11-01T00:00:00Z', end: '2026-11-02T00:00:00Z', model: undefined, tag: 'team:a&b' };
  expect(address('GET /accounts/{account_id}/requests', { path: { account_id: 'a/b' }, query })).toBe(
    '/api/accounts/a%2Fb/requests?start=2026-11-01T00%3A00%3A00Z&end=2026-11-02T00%3A00%3A00Z&tag=team%3Aa%26b',
  );
});

test('a call sends JSON and returns the body', async () => {
  fetched.mockResolvedValue(Response.json({ account_id: ACCOUNT }));
  const body = { name: 'Team', idempotency_key: 'one' };
  await expect(call('POST /operator/accounts', { body })).resolves.toEqual({ account_id: ACCOUNT });
  const [url, init] = fetched.mock.calls[0] ?? [];
  expect(url).toBe('/api/operator/accounts');
  expect(init).toMatchObject({ method: 'POST', body: JSON.stringify(body) });
});

test('an error names the field at fault', async () => {
  fetched.mockResolvedValue(refusal(400, 'invalid_request', 'name'));
  const body = { name: '', idempotency_key: 'one' };
  await expect(call('POST /operator/accounts', { body })).rejects.toMatchObject({
    code: 'invalid_request',
    status: 400,
    field: 'name',
    message: 'What to do.',
  });
});

test('a page of a proxy in the place of a response is reported as unavailable', async () => {
  fetched.mockResolvedValue(new Response('<html>', { status: 502 }));
  await expect(call('GET /session', {})).rejects.toMatchObject({ code: 'unavailable', status: 502 });
});

test('without a network the message says to check the connection', async () => {
  fetched.mockRejectedValue(new TypeError('Failed to fetch'));
  await expect(call('GET /session', {})).rejects.toMatchObject({ code: 'unreachable', status: 0 });
});

test('a call whose session has ended waits for sign-in and is repeated with its body', async () => {
  fetched.mockResolvedValueOnce(refusal(401, 'not_signed_in'));
  fetched.mockResolvedValueOnce(Response.json({ account_id: ACCOUNT }));
  const body = { name: 'Team', idempotency_key: 'one' };
  const result = call('POST /operator/accounts', { body });
  await vi.waitFor(() => expect(isSignedOut()).toBe(true));
  expect(fetched).toHaveBeenCalledOnce();
  signedInAgain();
  await vi.waitFor(() => expect(fetched).toHaveBeenCalledTimes(2));
  await expect(result).resolves.toEqual({ account_id: ACCOUNT });
  expect(fetched.mock.calls[1]?.[1]).toMatchObject({ body: JSON.stringify(body) });
});

test('sign-in itself reports that it failed', async () => {
  fetched.mockResolvedValue(refusal(401, 'not_signed_in'));
  const body = { email: 'p@example.com', password: 'wrong' };
  await expect(call('POST /session', { body }, { signInAgain: false })).rejects.toMatchObject({
    code: 'not_signed_in',
  });
  expect(fetched).toHaveBeenCalledOnce();
});

test('a change that waits for sign-in is not sent when its form has closed', async () => {
  fetched.mockResolvedValueOnce(refusal(401, 'not_signed_in'));
  const closed = new AbortController();
  const body = { name: 'Team', idempotency_key: 'one' };
  const result = call('POST /operator/accounts', { body }, { unsent: closed.signal });
  await vi.waitFor(() => expect(isSignedOut()).toBe(true));
  closed.abort();
  signedInAgain();
  await expect(result).rejects.toThrow('aborted');
  expect(fetched).toHaveBeenCalledOnce();
});

test.each([
  [false, 'You are offline, so nothing was sent.'],
  [true, 'It may have done this: trying again in this form does it once.'],
])('a change without an answer says what is known: online %s', async (onLine, message) => {
  vi.stubGlobal('navigator', { onLine });
  fetched.mockRejectedValue(new TypeError('Failed to fetch'));
  const body = { name: 'Team', idempotency_key: 'one' };
  await expect(call('POST /operator/accounts', { body })).rejects.toThrow(message);
});

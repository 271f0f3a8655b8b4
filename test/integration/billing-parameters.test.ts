import type { Account } from '@tollgate/test-support/gateway/accounts';
import { recently } from '@tollgate/test-support/gateway/billing';
import { type Gateway, say, simulate } from '@tollgate/test-support/gateway/gateway';
import type { WireResponse } from '@tollgate/test-support/gateway/http';
import { at, listAt } from '@tollgate/test-support/gateway/json';
import { describe, expect, it } from 'vitest';
import { expectBillingError } from './support/errors.ts';
import { withGateway } from './support/shared-gateway.ts';

const DAY_MS = 86_400_000;
const MISSING = '0190a0b0-0000-7000-8000-000000000000';
const ENDPOINTS = ['requests', `requests/${MISSING}`, 'usage', 'balance', 'limits', 'deposits'];
let gateway: Gateway;
let account: Account;
let call: WireResponse;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(1_000_000_000n);
  call = await gateway.chat(account.key, { model: 'small', messages: say('Hi'), ...simulate({ output_tokens: 2 }) });
  const record = await ask(`requests/${String(call.headers['x-request-id'])}`);
  expect(record.status).toBe(200);
});

function ask(path: string, method = 'GET', headers?: Record<string, string>): Promise<WireResponse> {
  const credential = headers ?? { authorization: `Bearer ${account.key}` };
  return gateway.send({ method, path: `/v1/billing/${path}`, headers: credential });
}

const iso = (ms: number) => new Date(ms).toISOString();

describe('bad parameters', () => {
  const now = Date.now();
  const range = recently();
  const days = (count: number, extraMs = 0) => `start=${iso(now - count * DAY_MS - extraMs)}&end=${iso(now)}`;
  it.each([
    [
      `requests?${range}&modle=small`,
      /^modle is not a parameter of this call; it takes start, end, limit, cursor, model/,
    ],
    [`requests?${range}&group_by=model`, /^group_by is not a parameter/],
    [`requests?${range}&model=`, /^model is empty/],
    [`requests?${range}&model=a&model=b`, /^model is given more than once/],
    [`requests?${range}&model=${'m'.repeat(501)}`, /^model is longer than 500/],
    [`requests?${range}&model=%00`, /^model/],
    [`requests?${range}&limit=1.5`, /^limit must be an integer from 1 to 1000/],
    [`requests?${range}&limit=`, /^limit is empty/],
    [`requests?${range}&limit=5&limit=6`, /^limit is given more than once/],
    [`requests?${range}&status=Completed`, /^status must be one of completed, cancelled, failed/],
    [`requests?${range}&key_id=${MISSING}x`, /^key_id is not a UUID/],
    [`requests?${range}&cursor=${'A'.repeat(90)}`, /^cursor belongs to another list/],
    [`requests?trace_id=${MISSING.slice(1)}`, /^trace_id is not a trace id/],
    [`requests?trace_id=${MISSING}&limit=1`, /^limit cannot be combined with trace_id/],
    ['requests?start=1767225600000&end=1767225601000', /^start must be from 1970 to 9999.*seconds, not milliseconds/],
    ['requests?start=2026-01-01T00:00:00+01:00&end=1767312000', /^start has a space.*%2B/],
    [`requests?${days(31, 1)}`, /31 days that one call for records may cover/],
    [`requests/${MISSING}?wait=1`, /^wait is not a parameter of this call; it takes none/],
    [`usage?${range}&interval=week`, /^interval must be one of hour, day, month/],
    [`usage?${range}&interval=`, /^interval is empty/],
    [`usage?${range}&group_by=model,colour`, /^group_by must be a comma-separated list of model and key/],
    [`usage?${range}&group_by=model&group_by=key`, /^group_by is given more than once/],
    [`usage?${range}&model=small`, /^model is not a parameter.*start, end, interval, group_by/],
    [`usage?${days(31, 1)}&interval=hour`, /31 days that one call for hourly sums may cover/],
    [`usage?${days(366, 1)}&interval=month`, /366 days that one call for daily or monthly sums may cover/],
    [`deposits?${days(366, 1)}`, /366 days that one call for deposits may cover/],
    [`deposits?${range}&limit=1001`, /^limit must be/],
    [`deposits?${range}&kind=refund`, /^kind is not a parameter.*start, end, limit, cursor/],
    ['balance?account=other', /^account is not a parameter of this call; it takes none/],
    ['usage?interval=day&end=1', /^start is missing/],
    ['deposits?start=1', /^end is missing/],
  ])('refuses %s', async (path, message) => {
    expectBillingError(await ask(path), 400, 'invalid_request', message);
  });

  it.each([
    `requests?${days(31)}`,
    `usage?${days(31)}&interval=hour&group_by=key,model`,
    `usage?${days(366)}&interval=day`,
    `usage?${days(366)}&interval=month&group_by=key`,
    `usage?${days(366)}`,
    `deposits?${days(366)}&limit=1000`,
    `requests?start=${Math.floor(now / 1_000) - 1}.1234567&end=${Math.floor(now / 1_000)}.5`,
    `requests?${range}&cursor=`,
  ])('takes %s', async (path) => {
    const response = await ask(path);
    expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
  });
});

describe('unknown resources', () => {
  it("another account's record is not found", async () => {
    const other = await gateway.accounts.create(0n);
    const headers = { 'x-api-key': other.key };
    const requestId = String(call.headers['x-request-id']);
    const foreign = await ask(`requests/${requestId}`, 'GET', headers);
    const none = await ask(`requests/${MISSING}`, 'GET', headers);
    expectBillingError(foreign, 404, 'not_found');
    expect(foreign.text).toBe(none.text);
    const byTrace = await ask(`requests?trace_id=${String(call.headers['x-trace-id'])}`, 'GET', headers);
    expectBillingError(byTrace, 404, 'not_found');
    expect(listAt((await ask(`requests?${recently()}`, 'GET', headers)).json, 'data')).toEqual([]);
  });

  it('an unknown path is not found, in the format of billing errors', async () => {
    for (const path of ['invoices', 'requests/x/y', '']) expectBillingError(await ask(path), 404, 'not_found');
  });
});

it('accepts a trace id with and without dashes, in upper and lower case', async () => {
  const dashed = String(call.headers['x-trace-id']);
  const digits = dashed.replaceAll('-', '');
  for (const form of [dashed, digits, dashed.toUpperCase(), digits.toUpperCase()]) {
    const { json } = await ask(`requests?trace_id=${form}`);
    expect(json).toEqual({ data: [expect.objectContaining({ trace_id: dashed })], next_cursor: null });
    expect(at(json, 'data', 0, 'request_id')).toBe(call.headers['x-request-id']);
  }
});

describe.each(ENDPOINTS)('/v1/billing/%s', (path) => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('does not answer %s', async (method) => {
    const response = await ask(path, method);
    expectBillingError(response, 405, 'invalid_request', method);
    expect(response.headers.allow).toBe('GET, HEAD');
  });

  it('requires a key first, in the format of billing errors', async () => {
    const broken = `${account.key.slice(0, -1)}${account.key.endsWith('A') ? 'B' : 'A'}`;
    for (const [headers, code] of [
      [{}, 'missing_auth_credential'],
      [{ 'x-goog-api-key': account.key }, 'missing_auth_credential'],
      [{ authorization: `Bearer ${broken}` }, 'invalid_bearer_token'],
      [{ 'x-api-key': broken }, 'invalid_api_key'],
    ] as const) {
      expectBillingError(await ask(`${path}?nonsense=1`, 'GET', headers), 401, code);
      expectBillingError(await ask(path, 'DELETE', headers), 401, code);
    }
  });
});

it('HEAD returns the headers of GET', async () => {
  const requestId = String(call.headers['x-request-id']);
  const calls = [`requests?${recently()}`, `requests/${requestId}`, `usage?${recently()}`, `deposits?${recently()}`];
  for (const path of [...calls, 'balance', `requests/${MISSING}`, 'usage']) {
    const [get, head] = [await ask(path), await ask(path, 'HEAD')];
    expect({ path, status: head.status, text: head.text }).toEqual({ path, status: get.status, text: '' });
    expect(head.headers['content-type']).toBe(get.headers['content-type']);
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.text)));
  }
});

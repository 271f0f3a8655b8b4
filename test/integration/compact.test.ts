import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, balanceOf, costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { RATES } from '@tollgate/test-support/gateway/catalogue';
import { directed } from '@tollgate/test-support/gateway/endpoints';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import { at, listAt, textAt } from '@tollgate/test-support/gateway/json';
import { lineNanos, nanos } from '@tollgate/test-support/gateway/money';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { expectModelError } from './support/errors.ts';
import { openSocket } from './support/response-socket.ts';
import { withGateway } from './support/shared-gateway.ts';

const BALANCE = 1_000_000_000n;
const COMPACTING = 'via-openai-responses';
let gateway: Gateway;
let account: Account;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(10n * BALANCE);
});

function compact(body: object, owner = account, path = '/v1/responses/compact') {
  const headers = { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' };
  return gateway.send({ method: 'POST', path, headers, body: JSON.stringify(body) });
}

const TALK = [
  { type: 'message', role: 'user', content: 'We launch on Tuesday.' },
  { type: 'message', role: 'assistant', content: 'Understood.' },
];

describe('/v1/responses/compact', () => {
  it.each(['/v1/responses/compact', '/responses/compact'])('%s is passed on and charged by its usage', async (path) => {
    const owner = await gateway.accounts.create(BALANCE);
    const body = { model: COMPACTING, prompt_cache_key: 'k', instructions: 'Keep dates.', input: TALK };
    const response = await compact(body, owner, path);
    expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
    expect(at(response.json, 'object')).toBe('response.compaction');
    expect(at(response.json, 'model')).toBeUndefined();
    expect(listAt(response.json, 'output').map((item) => at(item, 'type'))).toEqual(['message', 'compaction']);
    const record = await recordOf(gateway, owner, response.headers['x-request-id']);
    expect(record).toMatchObject({
      model: COMPACTING,
      protocol_in: 'openai-responses',
      protocol_out: 'openai-responses',
      status: 'completed',
      streamed: false,
      usage_estimated: false,
    });
    const usage = at(response.json, 'usage');
    const cost =
      lineNanos(Number(at(usage, 'input_tokens')), RATES.small.input) +
      lineNanos(Number(at(usage, 'output_tokens')), RATES.small.output);
    expect(costOf(record)).toBe(cost);
    expect(nanos(textAt(response.headers, 'x-request-cost'))).toBe(cost);
    expect(await balanceOf(gateway, owner)).toBe(BALANCE - cost);
    const traceId = String(response.headers['x-trace-id']).replaceAll('-', '');
    const [call] = gateway.simulator.recorder.list(traceId);
    expect(call?.path).toBe('/v1/responses/compact');
    expect(JSON.parse(String(call?.body))).toEqual({ ...body, model: COMPACTING });
  });

  it('is what OpenAI’s SDK calls, and its output continues the conversation, also on a WebSocket', async () => {
    const client = new OpenAI({ apiKey: account.key, baseURL: `${gateway.baseUrl}/v1` });
    const compacted = await client.responses.compact({ model: COMPACTING, input: TALK as never });
    expect(compacted.object).toBe('response.compaction');
    const input = [...compacted.output, { role: 'user', content: directed('When?', { text: 'Tuesday' }) }];
    const response = await client.responses.create({ model: COMPACTING, input: input as never });
    expect(response.output_text).toBe('Tuesday');
    const socket = await openSocket(gateway, account.key);
    expect(await socket.turn({ model: COMPACTING, input })).toMatchObject({ text: 'Tuesday' });
    await socket.close();
  });

  it.each(['openai-chat', 'anthropic-messages', 'gemini'])('is a 400 that says what to do for %s', async (upstream) => {
    const owner = await gateway.accounts.create(BALANCE);
    const response = await compact({ model: `via-${upstream}`, input: TALK }, owner);
    expectModelError(response, { status: 400, type: 'invalid_request_error', message: /\/v1\/responses/ });
    expect(await balanceOf(gateway, owner)).toBe(BALANCE);
    expect(await allRecords(gateway, owner)).toHaveLength(0);
  });

  it.each<[string, object, RegExp]>([
    ['no model', { input: TALK }, /model/],
    ['no input', { model: COMPACTING }, /input/],
    ['a stored response', { model: COMPACTING, input: TALK, previous_response_id: 'resp_1' }, /previous_response_id/],
    ['a service tier', { model: COMPACTING, input: TALK, service_tier: 'flex' }, /service_tier/],
  ])('with %s is a 400 that names the field', async (_, body, message) => {
    expectModelError(await compact(body), { status: 400, type: 'invalid_request_error', message });
  });

  it('needs a balance for its maximum cost, since its output has no limit', async () => {
    // Pays for the input and some output, but not for the model's maximum.
    const poor = await gateway.accounts.create(1_000_000n);
    const response = await compact({ model: COMPACTING, input: TALK }, poor);
    expect({ status: response.status, type: at(response.json, 'error', 'type') }).toEqual({
      status: 400,
      type: 'insufficient_balance',
    });
  });

  it('that fails at the provider costs nothing', async () => {
    const owner = await gateway.accounts.create(BALANCE);
    const failing = [{ type: 'message', role: 'user', content: directed('x', { fail: 400 }) }];
    expect((await compact({ model: COMPACTING, input: failing }, owner)).status).toBe(400);
    expect(await balanceOf(gateway, owner)).toBe(BALANCE);
  });

  it('is only a POST', async () => {
    const headers = { authorization: `Bearer ${account.key}` };
    const response = await gateway.send({ path: '/v1/responses/compact', headers });
    expectModelError(response, { status: 405, type: 'invalid_request_error' });
  });
});

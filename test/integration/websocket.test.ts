import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, balanceOf, costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { UPSTREAM_PROTOCOLS } from '@tollgate/test-support/gateway/catalogue';
import { directed } from '@tollgate/test-support/gateway/endpoints';
import { type Gateway, MAX_BODY_BYTES } from '@tollgate/test-support/gateway/gateway';
import { at, listAt } from '@tollgate/test-support/gateway/json';
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { describe, expect, it } from 'vitest';
import { UUID_V7, VALID_UUID } from './support/errors.ts';
import { openSocket } from './support/response-socket.ts';
import { withGateway } from './support/shared-gateway.ts';

const BALANCE = 1_000_000_000n;
const SETTLED = { timeout: 30_000, interval: 50 };
let gateway: Gateway;
let account: Account;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(100n * BALANCE);
});

/** The body that the provider received for a request. */
async function sentUpstream(owner: Account, requestId: unknown): Promise<string> {
  const traceId = String(at(await recordOf(gateway, owner, requestId), 'trace_id')).replaceAll('-', '');
  return gateway.simulator.recorder
    .list(traceId)
    .map(({ body }) => String(body))
    .join('\n');
}

/** What the response objects of a turn say that they continue. */
function previousOf({ events }: { events: readonly object[] }): Set<unknown> {
  const responses = events.map((event) => at(event, 'response')).filter((response) => response !== undefined);
  return new Set(responses.map((response) => at(response, 'previous_response_id')));
}

describe.each(UPSTREAM_PROTOCOLS)('a WebSocket in front of %s', (upstream) => {
  const model = `via-${upstream}`;

  it('streams each response as events, and charges each once', async () => {
    const owner = await gateway.accounts.create(BALANCE);
    const socket = await openSocket(gateway, owner.key);
    const ids = new Set<unknown>();
    let cost = 0n;
    for (const text of ['Good day to you', 'Grüße, 世界! \u{1F600}']) {
      const turn = await socket.turn({ model, input: directed('Hello', { text }) });
      expect(turn).toMatchObject({ type: 'response.completed', text });
      expect(turn.events.map((event) => event['sequence_number'])).toEqual(turn.events.map((_, index) => index));
      expect(at(turn.events[0], 'headers', 'x-trace-id')).toMatch(VALID_UUID);
      expect(turn.requestId).toMatch(UUID_V7);
      const record = await recordOf(gateway, owner, turn.requestId);
      expect(record).toMatchObject({
        model,
        protocol_in: 'openai-responses',
        protocol_out: upstream,
        status: 'completed',
        streamed: true,
        trace_id: at(turn.events[0], 'headers', 'x-trace-id'),
      });
      expect(String(at(turn.last, 'response', 'usage', 'cost'))).toBe(String(Number(at(record, 'cost'))));
      cost += costOf(record);
      ids.add(turn.requestId);
    }
    await socket.close();
    expect(ids.size).toBe(2);
    expect(await allRecords(gateway, owner)).toHaveLength(2);
    expect(await balanceOf(gateway, owner)).toBe(BALANCE - cost);
  });

  it('continues its last response with only the new items', async () => {
    const socket = await openSocket(gateway, account.key);
    const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } }];
    const asked = directed('Where is Ümit?', { tool_calls: [{ name: 'weather', arguments: '{"city":"Köln"}' }] });
    const first = await socket.turn({ model, tools, input: asked });
    const call = listAt(first.last, 'response', 'output').find((item) => at(item, 'type') === 'function_call');
    const output = {
      type: 'function_call_output',
      call_id: at(call, 'call_id'),
      output: directed('Rain.', { text: 'Take a coat' }),
    };
    const second = await socket.turn({ model, tools, previous_response_id: first.id, input: [output] });
    expect(second).toMatchObject({ type: 'response.completed', text: 'Take a coat' });
    expect(previousOf(first)).toEqual(new Set([null]));
    expect(previousOf(second)).toEqual(new Set([first.id]));
    const third = await socket.turn({
      model,
      tools,
      previous_response_id: second.id,
      input: directed('And?', { text: 'Go' }),
    });
    expect(third).toMatchObject({ type: 'response.completed', text: 'Go' });
    const sent = await sentUpstream(account, third.requestId);
    for (const part of ['Where is Ümit?', 'Köln', 'Rain.', 'Take a coat', 'And?']) expect(sent).toContain(part);
    expect(sent.split('Where is Ümit?')).toHaveLength(2);
    expect(sent).not.toContain('previous_response_id');
    await socket.close();
  });

  it('answers a warm-up itself, without a charge, and continues it', async () => {
    const owner = await gateway.accounts.create(BALANCE);
    const socket = await openSocket(gateway, owner.key);
    const calls = gateway.simulator.recorder.stats.calls;
    const warm = await socket.turn({
      model,
      generate: false,
      instructions: 'Be brief.',
      input: 'The code word is slate.',
    });
    expect(warm.type).toBe('response.completed');
    expect(at(warm.last, 'response')).toMatchObject({ status: 'completed', output: [], usage: { total_tokens: 0 } });
    expect(gateway.simulator.recorder.stats.calls).toBe(calls);
    const turn = await socket.turn({
      model,
      previous_response_id: warm.id,
      input: directed('Which?', { text: 'slate' }),
    });
    expect(turn).toMatchObject({ type: 'response.completed', text: 'slate' });
    expect(await sentUpstream(owner, turn.requestId)).toContain('The code word is slate.');
    await socket.close();
    expect(await allRecords(gateway, owner)).toHaveLength(1);
  });

  it('drops what a failed continuation referred to', async () => {
    const socket = await openSocket(gateway, account.key);
    const first = await socket.turn({ model, input: 'Hello' });
    const lost = { type: 'function_call_output', call_id: 'call_missing', output: '1' };
    const failed = await socket.turn({ model, previous_response_id: first.id, input: [lost] });
    expect(failed.type).toBe('error');
    const retry = await socket.turn({ model, previous_response_id: first.id, input: 'Hello?' });
    expect(retry.code).toBe('previous_response_not_found');
    expect(await socket.turn({ model, input: 'Anew' })).toMatchObject({ type: 'response.completed' });
    await socket.close();
  });
});

describe('the response to a message', () => {
  it('has the client’s stream id in every event', async () => {
    const socket = await openSocket(gateway, account.key);
    const turn = await socket.turn({ model: 'small', stream_id: 'main', input: 'Hello' });
    expect(turn.type).toBe('response.completed');
    expect(new Set(turn.events.map((event) => event['stream_id']))).toEqual(new Set(['main']));
    const refused = await socket.turn({ model: 'nowhere', stream_id: 'main', input: 'Hello' });
    expect(refused.last).toMatchObject({ type: 'error', stream_id: 'main' });
    await socket.close();
  });

  it('can be continued only if it is the last one of the same socket', async () => {
    const [one, other] = await Promise.all([openSocket(gateway, account.key), openSocket(gateway, account.key)]);
    const first = await one.turn({ model: 'small', input: 'One' });
    const elsewhere = await other.turn({ model: 'small', previous_response_id: first.id, input: 'And?' });
    expect(elsewhere.last).toMatchObject({
      type: 'error',
      status: 400,
      error: {
        type: 'invalid_request_error',
        code: 'previous_response_not_found',
        param: 'previous_response_id',
        message: expect.stringContaining(first.id),
        details: null,
      },
      trace_id: expect.stringMatching(VALID_UUID),
    });
    const second = await one.turn({ model: 'small', input: 'Two' });
    const old = await one.turn({ model: 'small', previous_response_id: first.id, input: 'And?' });
    expect(old.code).toBe('previous_response_not_found');
    const last = await one.turn({ model: 'small', previous_response_id: second.id, input: 'And?' });
    expect(last.type).toBe('response.completed');
    await Promise.all([one.close(), other.close()]);
  });

  it('comes after the one that is running', async () => {
    const owner = await gateway.accounts.create(BALANCE);
    const socket = await openSocket(gateway, owner.key);
    const slow = directed('Hello', { output_tokens: 40, token_delay_ms: 20 });
    for (const [streamId, input] of Object.entries({ a: slow, b: 'Me too', c: 'And me' }))
      socket.create({ model: 'small', stream_id: streamId, input });
    for (const streamId of ['a', 'b', 'c']) {
      const events = await socket.rest();
      expect(new Set(events.map((event) => event['stream_id']))).toEqual(new Set([streamId]));
      expect(events.at(-1)).toMatchObject({ type: 'response.completed' });
    }
    await socket.close();
    await expect.poll(async () => (await allRecords(gateway, owner)).length, SETTLED).toBe(3);
  });

  it.each<[string, object, string, object]>([
    ['an unknown model', { model: 'nowhere', input: 'x' }, 'model_not_available', { status: 400 }],
    [
      'a missing input',
      { model: 'small' },
      'invalid_request_error',
      { error: { message: expect.stringContaining('input') } },
    ],
    ['background', { model: 'small', input: 'x', background: true }, 'invalid_request_error', { status: 400 }],
    [
      'a wrong type of a field of messages',
      { model: 'small', input: 'x', generate: 'no' },
      'invalid_request_error',
      { error: { message: expect.stringContaining('generate') } },
    ],
    [
      'another message',
      { type: 'response.steer', input: 'x' },
      'invalid_request_error',
      { error: { message: expect.stringContaining('type') } },
    ],
    [
      'a failing provider',
      { model: 'via-openai-chat', input: directed('x', { fail: 400 }) },
      'invalid_request_error',
      { status: 400 },
    ],
  ])('to %s is an error event, and the socket stays open', async (_, body, type, rest) => {
    const socket = await openSocket(gateway, account.key);
    const turn = await socket.turn(body);
    expect(turn.last).toMatchObject({
      type: 'error',
      trace_id: expect.stringMatching(VALID_UUID),
      headers: { 'x-request-id': expect.stringMatching(UUID_V7) },
      ...rest,
    });
    expect(at(turn.last, 'error', 'type')).toBe(type);
    expect(at(turn.last, 'error', 'code')).toBeTypeOf('string');
    expect(await socket.turn({ model: 'small', input: 'Hello' })).toMatchObject({ type: 'response.completed' });
    await socket.close();
  });

  it('to garbage is an error event', async () => {
    const socket = await openSocket(gateway, account.key);
    for (const garbage of ['{', '', '[]', '"x"', '{"type":"response.create","type":"response.create"}']) {
      socket.ws.send(garbage);
      expect((await socket.rest()).at(-1)).toMatchObject({ type: 'error', status: 400 });
    }
    expect(await socket.turn({ model: 'small', input: 'Hello' })).toMatchObject({ type: 'response.completed' });
    await socket.close();
  });

  it('without balance is an error event with the link to top up', async () => {
    const poor = await gateway.accounts.create(0n);
    const socket = await openSocket(gateway, poor.key);
    const turn = await socket.turn({ model: 'small', input: 'Hello' });
    expect(turn.last).toMatchObject({
      type: 'error',
      status: 400,
      error: {
        type: 'insufficient_balance',
        code: 'insufficient_balance',
        details: { recharge_url: expect.any(String), limit: { scope: 'account', id: poor.accountId } },
      },
    });
    await socket.close();
  });

  it('beyond the limits of its key is an error event with the time to wait', async () => {
    const limited = await gateway.accounts.createKey(account.accountId, { limits: { requestsPerMinute: 6n } });
    const socket = await openSocket(gateway, limited.key);
    let turn = await socket.turn({ model: 'small', input: 'Hello' });
    for (let count = 0; count < 10 && turn.type !== 'error'; count++) {
      turn = await socket.turn({ model: 'small', input: 'Hello' });
    }
    expect(turn.last).toMatchObject({
      type: 'error',
      status: 429,
      error: { type: 'rate_limit_exceeded' },
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    await socket.close();
  });

  it('of a model that the key may not call is an error event', async () => {
    const limited = await gateway.accounts.createKey(account.accountId, { allowedModels: ['odd'] });
    const socket = await openSocket(gateway, limited.key);
    expect((await socket.turn({ model: 'small', input: 'Hello' })).last).toMatchObject({ type: 'error', status: 400 });
    expect(await socket.turn({ model: 'odd', input: 'Hello' })).toMatchObject({ type: 'response.completed' });
    await socket.close();
  });

  it('is charged for what was delivered if its client leaves, like over HTTP', async () => {
    const owner = await gateway.accounts.create(BALANCE);
    const socket = await openSocket(gateway, owner.key);
    socket.create({ model: 'small', input: directed('Hello', { output_tokens: 400, token_delay_ms: 20 }) });
    while ((await socket.next())['type'] !== 'response.output_text.delta');
    socket.ws.terminate();
    await expect.poll(async () => (await allRecords(gateway, owner)).length, SETTLED).toBe(1);
    const [record] = await allRecords(gateway, owner);
    expect(record).toMatchObject({ status: 'cancelled', streamed: true });
    expect(at(record, 'usage', 'output')).toBeLessThan(400);
    expect(await balanceOf(gateway, owner)).toBe(BALANCE - costOf(record));
  });
});

describe('frames', () => {
  it('of one message may be many, with pings between them', async () => {
    const socket = await openSocket(gateway, account.key);
    const text = JSON.stringify({ type: 'response.create', model: 'small', input: 'x'.repeat(20_000) });
    for (let start = 0; start < text.length; start += 1_000) {
      socket.ws.send(text.slice(start, start + 1_000), { fin: start + 1_000 >= text.length });
      socket.ws.ping();
    }
    expect((await socket.rest()).at(-1)).toMatchObject({ type: 'response.completed' });
    await socket.close();
  });

  it('with binary data close the socket', async () => {
    const socket = await openSocket(gateway, account.key);
    socket.ws.send(Buffer.from('{"type":"response.create"}'), { binary: true });
    expect(await socket.closed).toMatchObject({ code: 1003 });
  });

  it('beyond the size of a body close the socket', async () => {
    const socket = await openSocket(gateway, account.key);
    socket.create({ model: 'small', input: 'x'.repeat(MAX_BODY_BYTES) });
    expect(await socket.closed).toMatchObject({ code: 1009 });
  });

  it.each<[string, Buffer, number]>([
    ['invalid UTF-8', Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xff]), 1007],
    ['no mask', Buffer.from([0x81, 0x02, 0x7b, 0x7d]), 1002],
    ['a reserved bit', Buffer.from([0xc1, 0x80, 0, 0, 0, 0]), 1002],
    ['an unknown opcode', Buffer.from([0x83, 0x80, 0, 0, 0, 0]), 1002],
  ])('with %s close the socket', async (_, frame, code) => {
    const socket = await openSocket(gateway, account.key);
    const raw = Reflect.get(socket.ws, '_socket') as { write: (bytes: Buffer) => void };
    raw.write(frame);
    expect(await socket.closed).toMatchObject({ code });
  });

  it('keep conversations of any size within the limit of a body', async () => {
    const socket = await openSocket(gateway, account.key);
    const half = 'x'.repeat(MAX_BODY_BYTES * 0.6);
    const first = await socket.turn({ model: 'small', generate: false, input: half });
    expect(first.type).toBe('response.completed');
    const second = await socket.turn({ model: 'small', previous_response_id: first.id, input: half });
    expect(second.last).toMatchObject({ type: 'error', error: { message: expect.stringContaining('larger than') } });
    await socket.close();
  });
});

it('OpenAI’s SDK creates and continues responses over a WebSocket', async () => {
  const client = new OpenAI({ apiKey: account.key, baseURL: `${gateway.baseUrl}/v1` });
  const ws = new ResponsesWS(client);
  const answers: string[] = [];
  ws.on('error', (error) => answers.push(`error ${error.message}`));
  const done = Promise.withResolvers<void>();
  ws.on('response.completed', ({ response }) => {
    answers.push(response.output_text ?? JSON.stringify(response.output));
    if (answers.length === 2) return done.resolve();
    ws.send({
      type: 'response.create',
      model: 'small',
      previous_response_id: response.id,
      input: directed('And?', { text: 'second' }),
    });
  });
  ws.send({ type: 'response.create', model: 'small', input: directed('Hello', { text: 'first' }) });
  await done.promise;
  expect(answers).toEqual([expect.stringContaining('first'), expect.stringContaining('second')]);
  ws.close();
});

import { createOperatorClient } from '@tollgate/common/actors/operator';
import { unaryCall } from '@tollgate/common/grpc/client';
import { createLogger } from '@tollgate/common/logging';
import type { PlaygroundEvent } from '@tollgate/proto/api-types';
import type { ApiKey, AuthServiceClient } from '@tollgate/proto/auth';
import { SseParser } from '@tollgate/protocols/sse/parse';
import { type Gateway, startGateway } from '@tollgate/test-support/gateway/gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../testing/api-client.ts';
import { createPerson } from '../../testing/create-person.ts';
import { type ServedConsole, serveConsole } from '../../testing/serve-console.ts';

const ROUTE = 'POST /accounts/{account_id}/playground';
const DOLLAR = 1_000_000_000n;

let gateway: Gateway;
let served: ServedConsole;
let auth: AuthServiceClient;
const logged: string[] = [];

beforeAll(async () => {
  gateway = await startGateway();
  const { facts } = gateway.stack;
  auth = createOperatorClient(facts.grpc.auth);
  const addresses = { databaseUrl: facts.database_url, ...facts.grpc, gateway: 'http://127.0.0.1:9' };
  const logger = createLogger('test', 'trace', { destination: { write: (line) => void logged.push(line) } });
  served = await serveConsole(addresses, { GATEWAY_URL: gateway.baseUrl }, logger);
});
afterAll(async () => {
  await served?.stop();
  auth?.close();
  await gateway?.stop();
});

interface Player {
  accountId: string;
  personId: string;
  api: ApiClient;
}

/** A signed-in developer of a new account. */
async function player(nanos = DOLLAR): Promise<Player> {
  const { accountId } = await gateway.accounts.create(nanos);
  const { personId } = await createPerson(auth, 'developer', accountId);
  return { accountId, personId, api: await served.signIn(personId) };
}

const ask = (text: string, more: object = {}) => ({
  model: 'small',
  messages: [{ role: 'user' as const, content: text }],
  ...more,
});

/** A prompt with controls of the simulated provider. */
const simulated = (controls: object) => `Please answer. [simulate ${JSON.stringify(controls)}]`;

async function chat({ api, accountId }: Player, body: ReturnType<typeof ask>) {
  const response = await api.fetch(ROUTE, { path: { account_id: accountId }, body });
  const events = eventsOf(Buffer.from(await response.arrayBuffer()));
  return { response, events };
}

function eventsOf(bytes: Buffer) {
  const parsed = new SseParser({ maxEventBytes: 1_000_000 }).push(bytes);
  return parsed.events.flatMap(({ data }) =>
    data === undefined ? [] : [JSON.parse(data.toString()) as PlaygroundEvent],
  );
}

async function keysOf(accountId: string): Promise<ApiKey[]> {
  const request = { accountId, pageSize: 0, pageToken: '' };
  const { keys } = await unaryCall(auth.listKeys.bind(auth), request, { deadlineMs: 20_000 });
  return keys.filter(({ tags }) => tags['purpose'] === 'playground');
}

describe('playground', () => {
  it('streams a response, with its cost as it is charged', async () => {
    const own = await player();
    const { response, events } = await chat(own, ask('Say something.', { system: 'Be brief.', max_output_tokens: 50 }));
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const [started] = events;
    const done = events.at(-1);
    expect(started).toMatchObject({ type: 'started' });
    expect(events.filter(({ type }) => type === 'delta').length).toBeGreaterThan(0);
    expect(done).toMatchObject({ type: 'done', finish_reason: expect.any(String), output_tokens: expect.any(Number) });
    const id = started?.type === 'started' ? started.request_id : '';
    const path = { account_id: own.accountId, id };
    const bill = await own.api.ok('GET /accounts/{account_id}/requests/{id}', { path });
    expect(done).toMatchObject({ cost: bill.cost });
    expect(Number(bill.cost)).toBeGreaterThan(0);
    expect(bill).toMatchObject({
      trace_id: started?.type === 'started' ? started.trace_id : '',
      tags: { purpose: 'playground' },
    });
  });

  it('uses one key for a person and account, which expires soon, also for requests at the same time', async () => {
    const own = await player();
    await Promise.all([1, 2, 3].map(() => chat(own, ask('Hi'))));
    await chat(own, ask('Hi again'));
    const [key, ...others] = await keysOf(own.accountId);
    expect(others).toEqual([]);
    expect(key?.name).toMatch(/^Playground \(developer-.*@example\.com\)$/);
    const expiresIn = Number(key?.expiresAtMs) - Date.now();
    expect(expiresIn).toBeGreaterThan(28 * 60_000);
    expect(expiresIn).toBeLessThan(31 * 60_000);
  });

  it('takes a new key when somebody has deleted the one in use', async () => {
    const own = await player();
    await chat(own, ask('Hi'));
    const [key] = await keysOf(own.accountId);
    await gateway.accounts.deleteKey(key?.keyId ?? '');
    const { events } = await chat(own, ask('Hi'));
    expect(events.at(-1)).toMatchObject({ type: 'done' });
    expect(await keysOf(own.accountId)).toHaveLength(2);
  });

  it('makes no further keys while the account is suspended', async () => {
    const own = await player();
    await chat(own, ask('Hi'));
    const suspension = { accountId: own.accountId, reason: 'for a test' };
    await unaryCall(auth.suspendAccount.bind(auth), suspension, { deadlineMs: 20_000 });
    for (let time = 0; time < 2; time++) {
      const { events } = await chat(own, ask('Hi'));
      expect(events.at(-1)).toMatchObject({ type: 'error', message: expect.stringMatching(/suspended/) });
    }
    expect(await keysOf(own.accountId)).toHaveLength(1);
  });

  it('reports the error of the gateway in its words', async () => {
    const { events } = await chat(await player(0n), ask('Hi'));
    expect(events).toMatchObject([
      { type: 'started' },
      { type: 'error', error_type: 'insufficient_balance', message: expect.stringMatching(/balance/) },
    ]);
    const unknown = await chat(await player(), { ...ask('Hi'), model: 'no-such-model' });
    expect(unknown.events.at(-1)).toMatchObject({ type: 'error', error_type: 'model_not_available' });
  });

  it('relays reasoning and tool calls', async () => {
    const controls = { reasoning: 'thinking about it', tool_calls: [{ name: 'look_up', arguments: '{"a":1}' }] };
    const tools = [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object', properties: {} } } }];
    const { events } = await chat(await player(), ask(simulated(controls), { model: 'thinking', tools }));
    const reasoning = events.map((event) => (event.type === 'reasoning' ? event.text : '')).join('');
    expect(reasoning).toBe('thinking about it');
    const calls = events.filter((event) => event.type === 'tool_call');
    expect(calls[0]).toMatchObject({ index: 0, name: 'look_up' });
    expect(calls.map((call) => call.arguments).join('')).toBe('{"a":1}');
    expect(events.at(-1)).toMatchObject({ type: 'done', finish_reason: 'tool_calls' });
  });

  it('ends the upstream call when the client leaves, and what was produced is charged', async () => {
    const own = await player();
    const controller = new AbortController();
    const body = ask(simulated({ output_tokens: 10_000, token_delay_ms: 50 }));
    const path = { account_id: own.accountId };
    const response = await own.api.fetch(ROUTE, { path, body }, controller.signal);
    const reader = response.body?.getReader();
    const first = await reader?.read();
    const [started] = eventsOf(Buffer.from(first?.value ?? []));
    controller.abort();
    const id = started?.type === 'started' ? started.request_id : '';
    await expect
      .poll(() => own.api.call('GET /accounts/{account_id}/requests/{id}', { path: { ...path, id } }))
      .toMatchObject({ status: 200, body: { status: 'cancelled' } });
  });

  it('limits the responses that a person has open', async () => {
    const own = await player();
    const body = ask(simulated({ output_tokens: 10_000, token_delay_ms: 50 }));
    const controller = new AbortController();
    const open = () => own.api.fetch(ROUTE, { path: { account_id: own.accountId }, body }, controller.signal);
    const responses = await Promise.all([1, 2, 3, 4].map(open));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const refused = await open();
    expect(refused.status).toBe(429);
    controller.abort();
    const another = await player();
    expect((await chat(another, ask('Hi'))).events.at(-1)).toMatchObject({ type: 'done' });
  });

  it('logs neither prompts nor responses nor keys', async () => {
    const own = await player();
    const { events } = await chat(own, ask('a-secret-prompt'));
    const text = events.map((event) => (event.type === 'delta' ? event.text : '')).join('');
    const log = logged.join('\n');
    expect(log).toContain('/playground');
    expect(log).not.toContain('a-secret-prompt');
    expect(log).not.toContain(text);
    expect(log).not.toMatch(/sk-[a-z]+-[0-9A-Za-z]{20}/);
  });

  it('deletes its keys when the person signs out', async () => {
    const own = await player();
    await chat(own, ask('Hi'));
    await own.api.ok('DELETE /session');
    await expect
      .poll(async () => (await keysOf(own.accountId)).map(({ deletedAtMs }) => deletedAtMs > 0n))
      .toEqual([true]);
  });
});

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Anthropic from '@anthropic-ai/sdk';
import { CHECKOUT, type Facts, findFreePort, waitUntil } from '@tollgate/local';
import { combineCatalogues } from '@tollgate/local/catalogue/combine';
import { starterCatalogues } from '@tollgate/local/catalogue/starters';
import { redisUrl } from '@tollgate/test-support/stores/redis-url';
import { makeTemporaryFolder, type TemporaryFolder } from '@tollgate/test-support/temporary-folder';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startUp, type Up } from './support/up.ts';

const FOLDER = join(CHECKOUT, 'deploy/catalogue');
const MESSAGES: { role: 'user'; content: string }[] = [{ role: 'user', content: 'Hello '.repeat(1_000) }];

/** A call that the stand-in for a provider received. */
interface Call {
  url: string;
  headers: IncomingHttpHeaders;
  model: unknown;
  body: { [field: string]: unknown };
}

let folder: TemporaryFolder;
let up: Up | undefined;
let server: Server;
let calls: Call[];

beforeEach(async () => {
  folder = makeTemporaryFolder();
  calls = [];
  server = createServer(async (request, response) => {
    const url = request.url ?? '';
    const body: Call['body'] = JSON.parse(await text(request));
    calls.push({ url, headers: request.headers, model: body['model'], body });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(url, body)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  up?.process.kill('SIGKILL');
  await up?.ended;
  up = undefined;
  server.closeAllConnections();
  server.close();
  folder.remove();
});

function answer(url: string, body: Call['body']) {
  if (url.endsWith('/messages')) return message(body);
  return url.endsWith('/responses') ? responseObject(body) : completion(body['model']);
}

/** 1,000 tokens of input, no more than MESSAGES can have, of which 400 are cached, and 100 of output. */
function completion(model: unknown) {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: 1_000,
      completion_tokens: 100,
      total_tokens: 1_100,
      prompt_tokens_details: { cached_tokens: 400 },
    },
  };
}

/** The same usage in the responses protocol, at the tier that was asked for, and two searches if the tool was sent. */
function responseObject({ model, service_tier = 'default', tools = [] }: Call['body']) {
  const search = { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } };
  const text = { type: 'output_text', text: 'Hello.', annotations: [] };
  const searches = Array.isArray(tools) && tools.length > 0 ? ['ws_1', 'ws_2'].map((id) => ({ ...search, id })) : [];
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model,
    service_tier,
    output: [...searches, { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [text] }],
    usage: {
      input_tokens: 1_000,
      input_tokens_details: { cached_tokens: 400 },
      output_tokens: 100,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 1_100,
    },
  };
}

/** The same usage in the messages protocol, at the place that was asked for. */
function message({ model, inference_geo = 'global' }: Call['body']) {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: 'Hello.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 600, cache_read_input_tokens: 400, output_tokens: 100, inference_geo },
  };
}

async function start(settings: Record<string, string>): Promise<Facts> {
  const ports = { PORT: String(await findFreePort()), CONSOLE_PORT: String(await findFreePort()) };
  up = startUp(join(folder.path, 'data'), { ...ports, REDIS_URL: redisUrl(), ...settings });
  return up.ready();
}

/** Starts with starter catalogues whose providers are the stand-in. */
async function startWith(names: readonly string[], keys: Record<string, string>) {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const file = join(folder.path, 'catalogue.yaml');
  const texts = names.map((name) =>
    readFileSync(join(FOLDER, `${name}.yaml`), 'utf8').replaceAll(/https:\/\/api\.[a-z]+\.com(?=\/)/g, origin),
  );
  writeFileSync(file, combineCatalogues(texts));
  const facts = await start({ ...keys, TOLLGATE_CATALOGUE: file });
  const openai = new OpenAI({ apiKey: facts.api_key, baseURL: `${facts.base_url}/v1`, maxRetries: 0 });
  const anthropic = new Anthropic({ apiKey: facts.api_key, baseURL: facts.base_url, maxRetries: 0 });
  return { facts, openai, anthropic };
}

async function balanceNanos({ api_key, base_url }: Facts): Promise<bigint> {
  const response = await fetch(`${base_url}/v1/billing/balance`, { headers: { authorization: `Bearer ${api_key}` } });
  const { balance }: { balance: string } = JSON.parse(await response.text());
  const [whole = '0', fraction = ''] = balance.split('.');
  return BigInt(whole + fraction.padEnd(9, '0'));
}

/** Waits until the account has paid what a call cost. */
async function expectPaid(facts: Facts, before: bigint, nanos: bigint): Promise<void> {
  await waitUntil(async () => (await balanceNanos(facts)) !== before, { what: 'the charge', timeoutMs: 30_000 });
  expect(before - (await balanceNanos(facts))).toBe(nanos);
}

describe('make up', () => {
  it('serves the models of every provider whose credential is set, and no others', async () => {
    const starters = starterCatalogues(FOLDER);
    const variables = starters.flatMap((starter) => starter.variables);
    const facts = await start(Object.fromEntries(variables.map((name) => [name, 'secret'])));
    const expected = starters.flatMap(({ file }) => {
      const { models }: { models: { id: string }[] } = parse(readFileSync(file, 'utf8'));
      return models.map(({ id }) => id);
    });
    const client = new OpenAI({ apiKey: facts.api_key, baseURL: `${facts.base_url}/v1`, maxRetries: 0 });
    const served = (await client.models.list()).data.map(({ id }) => id);
    expect(expected.length).toBeGreaterThan(80);
    expect(served).toEqual(expect.arrayContaining(expected));
    expect(served).not.toContain('simulated');
  });

  it('calls providers as their starter catalogues say, and charges their prices', async () => {
    const keys = { GROQ_API_KEY: 'groq-secret', DEEPSEEK_API_KEY: 'deepseek-secret' };
    const { facts, openai, anthropic } = await startWith(['groq', 'deepseek'], keys);

    // 600 tokens at 0.15, 400 at 0.075 and 100 at 0.60 dollars per million.
    let before = await balanceNanos(facts);
    await openai.chat.completions.create({ model: 'groq/openai/gpt-oss-120b', messages: MESSAGES, max_tokens: 200 });
    await expectPaid(facts, before, 600n * 150n + 400n * 75n + 100n * 600n);

    // 600 tokens at 0.30, 400 at 0.006 and 100 at 1.20 dollars per million, at both endpoints.
    before = await balanceNanos(facts);
    await openai.chat.completions.create({ model: 'deepseek-flash', messages: MESSAGES, max_tokens: 200 });
    await expectPaid(facts, before, 600n * 300n + 400n * 6n + 100n * 1_200n);
    before = await balanceNanos(facts);
    await anthropic.messages.create({ model: 'deepseek-flash', messages: MESSAGES, max_tokens: 200 });
    await expectPaid(facts, before, 600n * 300n + 400n * 6n + 100n * 1_200n);

    expect(calls).toMatchObject([
      {
        url: '/openai/v1/chat/completions',
        model: 'openai/gpt-oss-120b',
        headers: { authorization: 'Bearer groq-secret' },
      },
      { url: '/v1/chat/completions', model: 'deepseek-flash', headers: { authorization: 'Bearer deepseek-secret' } },
      { url: '/anthropic/v1/messages', model: 'deepseek-flash', headers: { 'x-api-key': 'deepseek-secret' } },
    ]);
  });

  it('charges searches, service tiers and places of inference as the starter catalogues price them', async () => {
    const keys = { OPENAI_API_KEY: 'openai-secret', ANTHROPIC_API_KEY: 'anthropic-secret' };
    const { facts, openai, anthropic } = await startWith(['openai', 'anthropic'], keys);
    const prompt = { input: 'Hello '.repeat(1_000), max_output_tokens: 200 };

    // Flex costs half of 2, 0.10 and 10 dollars per million.
    let before = await balanceNanos(facts);
    await openai.responses.create({ model: 'gpt-6.1-sol', ...prompt, service_tier: 'flex' });
    await expectPaid(facts, before, 600n * 1_000n + 400n * 50n + 100n * 5_000n);

    // Two searches at 10 dollars per thousand, and tokens at 1.75, 0.175 and 14 dollars per million.
    before = await balanceNanos(facts);
    await openai.responses.create({ model: 'gpt-5.2', ...prompt, tools: [{ type: 'web_search' }] });
    await expectPaid(facts, before, 2n * 10_000_000n + 600n * 1_750n + 400n * 175n + 100n * 14_000n);

    // In the US, a tenth more than 4, 0.20 and 20 dollars per million.
    before = await balanceNanos(facts);
    const model = 'claude-opus-5-5';
    await anthropic.messages.create({ model, messages: MESSAGES, max_tokens: 200, inference_geo: 'us' });
    await expectPaid(facts, before, 600n * 4_400n + 400n * 220n + 100n * 22_000n);

    // Pages cost only their tokens.
    before = await balanceNanos(facts);
    const tools: Anthropic.Messages.ToolUnion[] = [{ type: 'web_fetch_20250910', name: 'web_fetch' }];
    await anthropic.messages.create({ model, messages: MESSAGES, max_tokens: 200, tools });
    await expectPaid(facts, before, 600n * 4_000n + 400n * 200n + 100n * 20_000n);

    expect(calls.map(({ url, body }) => [url, body['service_tier'], body['tools'], body['max_tool_calls']])).toEqual([
      ['/v1/responses', 'flex', undefined, undefined],
      ['/v1/responses', undefined, [{ type: 'web_search' }], 5],
      ['/v1/messages', undefined, undefined, undefined],
      ['/v1/messages', undefined, [{ ...tools[0], max_uses: 5 }], undefined],
    ]);
  });
});

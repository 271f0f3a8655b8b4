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
    const { model }: { model: unknown } = JSON.parse(await text(request));
    calls.push({ url, headers: request.headers, model });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(url.endsWith('/messages') ? message(model) : completion(model)));
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

/** The same usage in the messages protocol. */
function message(model: unknown) {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: 'Hello.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 600, cache_read_input_tokens: 400, output_tokens: 100 },
  };
}

async function start(settings: Record<string, string>): Promise<Facts> {
  const ports = { PORT: String(await findFreePort()), CONSOLE_PORT: String(await findFreePort()) };
  up = startUp(join(folder.path, 'data'), { ...ports, REDIS_URL: redisUrl(), ...settings });
  return up.ready();
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
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const file = join(folder.path, 'catalogue.yaml');
    const texts = ['groq', 'deepseek'].map((name) =>
      readFileSync(join(FOLDER, `${name}.yaml`), 'utf8').replaceAll(/https:\/\/api\.[a-z]+\.com(?=\/)/g, origin),
    );
    writeFileSync(file, combineCatalogues(texts));
    const keys = { GROQ_API_KEY: 'groq-secret', DEEPSEEK_API_KEY: 'deepseek-secret' };
    const facts = await start({ ...keys, TOLLGATE_CATALOGUE: file });
    const openai = new OpenAI({ apiKey: facts.api_key, baseURL: `${facts.base_url}/v1`, maxRetries: 0 });
    const anthropic = new Anthropic({ apiKey: facts.api_key, baseURL: facts.base_url, maxRetries: 0 });

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
});

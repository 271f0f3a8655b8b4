import { execFile } from 'node:child_process';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ClientSetup } from './client-setup.ts';
import { clientSetups } from './clients.ts';
import type { Connection } from './connection.ts';

const run = promisify(execFile);

interface Received {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: { model?: string };
}

const SECRET = 'sk-tollgate-ExamplThisIsAnExampleAndNotARealKey0000fNhRC';
let received: Received[] = [];
const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  request.on('end', () => {
    received.push({ method: request.method, url: request.url, headers: request.headers, body: JSON.parse(text) });
    // Enough of each protocol's response for the SDKs to print it.
    const body = {
      choices: [{ message: { content: 'Hi' } }],
      content: [{ type: 'text', text: 'Hi' }],
      candidates: [{ content: { parts: [{ text: 'Hi' }] } }],
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

function connection(overrides: Partial<Connection> = {}): Connection {
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    serviceName: 'tollgate',
    secret: SECRET,
    model: "a 'model'",
    contextWindow: 1000,
    maxOutputTokens: 100,
    inputModalities: ['text', 'image'],
    ...overrides,
  };
}

function setup(id: string, overrides: Partial<Connection> = {}): ClientSetup {
  const found = clientSetups(connection(overrides)).find((each) => each.id === id);
  if (found === undefined) throw new Error(`no client ${id}`);
  return found;
}

function code(of: ClientSetup, title: string): string {
  const found = of.blocks.find((block) => block.title.startsWith(title));
  if (found === undefined) throw new Error(`no block ${title}`);
  return found.code;
}

/** Runs shell lines, then JavaScript in the same environment, and returns what it printed. */
async function execute(shell: string, javascript?: string): Promise<string> {
  received = [];
  const script = javascript === undefined ? shell : `${shell}\nexec "$NODE" --input-type=module --eval "$CODE"`;
  const env = { PATH: process.env['PATH'], NODE: process.execPath, CODE: javascript };
  const { stdout } = await run('sh', ['-c', script], { env, cwd: import.meta.dirname });
  return stdout;
}

it('calls the gateway by curl', async () => {
  expect(await execute(code(setup('curl'), 'Command'))).toContain('Hi');
  expect(received).toMatchObject([
    { url: '/v1/chat/completions', headers: { authorization: `Bearer ${SECRET}` }, body: { model: "a 'model'" } },
  ]);
});

it.each([
  { id: 'openai', url: '/v1/chat/completions' },
  { id: 'anthropic', url: '/v1/messages' },
])('calls the gateway by the $id SDK', async ({ id, url }) => {
  const sdk = setup(id);
  expect(await execute(code(sdk, 'Environment'), code(sdk, 'JavaScript'))).toContain('Hi');
  expect(received).toMatchObject([
    { method: 'POST', url, headers: { authorization: `Bearer ${SECRET}` }, body: { model: "a 'model'" } },
  ]);
});

it('calls the gateway by the Gemini SDK', async () => {
  const sdk = setup('gemini', { model: 'gemini-2.5-pro' });
  expect(await execute(code(sdk, 'Environment'), code(sdk, 'JavaScript'))).toBe('Hi\n');
  expect(received).toMatchObject([
    {
      url: expect.stringMatching(/^\/v1(beta)?\/models\/gemini-2\.5-pro:generateContent$/),
      headers: { 'x-goog-api-key': SECRET },
    },
  ]);
});

it('gives Claude Code the base URL without /v1, and the key as a token', async () => {
  const shell = code(setup('claude-code'), 'For one terminal').replace(/claude$/, 'env');
  const environment = Object.fromEntries((await execute(shell)).split('\n').map((line) => line.split(/=(.*)/)));
  const { env } = JSON.parse(code(setup('claude-code'), '~/.claude')) as { env: Record<string, string> };
  expect(environment).toMatchObject(env);
  expect(env).toEqual({
    ANTHROPIC_BASE_URL: connection().baseUrl.slice(0, -1),
    ANTHROPIC_AUTH_TOKEN: SECRET,
    ANTHROPIC_MODEL: "a 'model'",
    ANTHROPIC_DEFAULT_HAIKU_MODEL: "a 'model'",
    CLAUDE_CODE_MAX_CONTEXT_TOKENS: '1000',
  });
});

it('gives Codex a provider that speaks the Responses API', () => {
  const codex = setup('codex', { baseUrl: 'https://ai.example.com', model: 'gpt-5.6' });
  expect(code(codex, '~/.codex')).toBe(
    [
      'model = "gpt-5.6"',
      'model_provider = "tollgate"',
      'model_context_window = 1000',
      '',
      '[model_providers.tollgate]',
      'name = "Tollgate"',
      'base_url = "https://ai.example.com/v1"',
      'env_key = "TOLLGATE_KEY"',
      'wire_api = "responses"',
      'supports_websockets = true',
    ].join('\n'),
  );
  expect(code(codex, 'Environment')).toBe(`export TOLLGATE_KEY=${SECRET}\ncodex`);
});

it('gives opencode a provider whose key is read from the environment', () => {
  const opencode = setup('opencode', { baseUrl: 'https://ai.example.com', model: 'gpt-5.6' });
  expect(JSON.parse(code(opencode, 'opencode.json'))).toMatchObject({
    provider: {
      tollgate: {
        npm: '@ai-sdk/anthropic',
        options: { baseURL: 'https://ai.example.com/v1', apiKey: '{env:TOLLGATE_KEY}' },
        models: { 'gpt-5.6': { limit: { context: 1000, output: 100 } } },
      },
    },
    model: 'tollgate/gpt-5.6',
  });
});

it.each([
  [64_000, undefined],
  [32_000, { budget_tokens: 16_000 }],
  [8_000, { budget_tokens: 4_000 }],
  [2_000, false],
])('lets Qwen Code think less than an output limit of %d', (maxOutputTokens, reasoning) => {
  const { modelProviders } = JSON.parse(code(setup('qwen-code', { maxOutputTokens }), '~/.qwen')) as {
    modelProviders: { anthropic: { generationConfig: Record<string, unknown> }[] };
  };
  const config = modelProviders.anthropic[0]?.generationConfig;
  expect(config).toMatchObject({ samplingParams: { max_tokens: maxOutputTokens } });
  expect(config?.['reasoning']).toEqual(reasoning);
});

it('names no provider that Codex reserves, and no invalid environment variable', () => {
  expect(code(setup('codex', { serviceName: 'openai' }), '~/.codex')).toContain('[model_providers.openai-gateway]');
  expect(code(setup('curl', { serviceName: '3 Bridges', secret: null }), 'Command')).toContain(
    '$GATEWAY_3_BRIDGES_KEY',
  );
});

it('shows no key where none is given', () => {
  const text = JSON.stringify(clientSetups(connection({ secret: null })));
  expect(text).not.toContain('sk-');
  expect(text).toContain('$TOLLGATE_KEY');
});

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@grpc/grpc-js';
import { createGrpcClient } from '@tollgate/common/grpc/client';
import { CHECKOUT } from '@tollgate/local';
import { send } from '@tollgate/test-support/gateway/http';
import { type Stack, startStack } from '@tollgate/test-support/gateway/stack';
import { childrenOf } from '@tollgate/test-support/load/killer';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** What the images run: see `deploy/Dockerfile`. */
const SERVICES = ['auth', 'console', 'ingress', 'ledger', 'payments', 'router', 'simulator'];

/** What packages use if somebody has installed it. */
const OPTIONAL = ['bufferutil', 'pg-native', 'supports-color', 'utf-8-validate'];

const folder = makeTemporaryFolder();
let stack: Stack;

beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['deploy/images/bundle.ts', ...SERVICES], { cwd: CHECKOUT });
  stack = await startStack({
    data: join(folder.path, 'data'),
    bundled: true,
    console: {},
    payments: {},
    quiet: true,
  });
});
afterAll(async () => {
  await stack.stop();
  folder.remove();
});

describe('bundles of services', () => {
  it('run instead of the sources', () => {
    const running = SERVICES.map((name) => childrenOf(process.pid, `services/${name}/dist/main.cjs`));
    expect(running).toEqual(SERVICES.map((name) => [stack.facts.pids[name]]));
  });

  it('serve and charge requests', async () => {
    const { api_key, base_url, models } = stack.facts;
    const client = new OpenAI({ apiKey: api_key, baseURL: base_url, maxRetries: 0 });
    const { data, response } = await client.chat.completions
      .create({ model: models[0] ?? '', messages: [{ role: 'user', content: 'Hello' }], stream: true })
      .withResponse();
    const texts: string[] = [];
    for await (const { choices } of data) texts.push(choices[0]?.delta.content ?? '');
    expect(texts.join('')).not.toBe('');
    const path = `/v1/billing/requests/${response.headers.get('x-request-id')}`;
    const record = await send(base_url, { path, headers: { authorization: `Bearer ${api_key}` } });
    expect(record.json).toMatchObject({ status: 'completed', cost: expect.stringMatching(/[1-9]/) });
  });

  it('find the packages that are not part of them', () => {
    const folders = SERVICES.map((name) => join(CHECKOUT, `services/${name}/dist`));
    const found = folders.flatMap((folder) => {
      const require = createRequire(join(folder, 'main.cjs'));
      const code = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
      const names = code.join('\n').matchAll(/\brequire\("([^."][^"]*)"\)/g);
      const packages = [...new Set([...names].map(([, name = '']) => name))].filter(
        (name) => !isBuiltin(name) && !OPTIONAL.includes(name),
      );
      // Loads them, as the service does.
      return packages.filter((name) => ['object', 'function'].includes(typeof require(name)));
    });
    expect(found.sort()).toEqual([
      '@aws-sdk/credential-provider-node',
      '@smithy/signature-v4',
      'fontkit',
      'google-auth-library',
      'gpt-tokenizer/encoding/o200k_base',
      'pdfkit',
    ]);
  });

  it('load packages on demand: the tokenizer', async () => {
    const { api_key, base_url, models } = stack.facts;
    const { status, json } = await send(base_url, {
      method: 'POST',
      path: '/v1/messages/count_tokens',
      headers: { 'x-api-key': api_key, 'content-type': 'application/json' },
      body: JSON.stringify({ model: models[0], messages: [{ role: 'user', content: 'Hello' }] }),
    });
    expect({ status, json }).toMatchObject({ status: 200, json: { input_tokens: expect.any(Number) } });
  });

  it('find their files: the web app, and the descriptors for reflection', async () => {
    const page = await fetch(stack.facts.console?.url ?? '');
    expect(await page.text()).toContain('<div id="root">');
    const client = createGrpcClient(Client, stack.facts.grpc.auth, undefined);
    const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
    const unchanged = (bytes: Buffer) => bytes;
    const call = client.makeBidiStreamRequest(path, unchanged, unchanged);
    // ServerReflectionRequest with list_services (7) "*".
    call.end(Buffer.from([0x3a, 1, 0x2a]));
    const responses: string[] = [];
    for await (const bytes of call) responses.push(String(bytes));
    client.close();
    expect(responses.join()).toContain('tollgate.auth.v1.AuthService');
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import { GoogleGenAI } from '@google/genai';
import { Accounts } from '@tollgate/test-support/gateway/accounts';
import { at } from '@tollgate/test-support/gateway/json';
import { type Stack, startStack } from '@tollgate/test-support/gateway/stack';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';

// An independent mock provider: it always sends floats, and reports no readable usage.

const VECTOR = [0.5, -0.25, 1];
const folder = makeTemporaryFolder();
const provider = new LLMock({ port: 0 });
let stack: Stack;
let accounts: Accounts;
let openai: OpenAI;
let genai: GoogleGenAI;

beforeAll(async () => {
  provider.onEmbedding(/./, { embedding: VECTOR });
  const url = await provider.start();
  const catalogue = join(folder.path, 'catalogue.json');
  writeFileSync(catalogue, catalogueFor(url));
  stack = await startStack({ data: join(folder.path, 'data'), catalogue, quiet: true });
  accounts = new Accounts({ auth: stack.facts.grpc.auth, ledger: stack.facts.grpc.ledger });
  const { key } = await accounts.create(1_000_000_000n);
  openai = new OpenAI({ apiKey: key, baseURL: stack.facts.base_url, maxRetries: 0 });
  genai = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: stack.facts.base_url } });
});
afterAll(async () => {
  accounts?.close();
  await stack?.stop();
  await provider.stop();
  folder.remove();
});

function catalogueFor(url: string): string {
  const speaking = (protocol: string, path: string) => ({ id: protocol, protocol, base_url: url + path, auth: 'none' });
  const model = (id: string, provider: string) => ({
    id,
    output: ['embedding'],
    context_window: 8_191,
    price: { input: '0.13' },
    deployments: [{ provider, model: 'upstream-name' }],
  });
  return JSON.stringify({
    version: 1,
    providers: [speaking('openai-chat', '/v1'), speaking('gemini', '/v1beta')],
    models: [model('over-openai', 'openai-chat'), model('over-gemini', 'gemini')],
  });
}

it.each(['over-openai', 'over-gemini'])('%s: OpenAI’s SDK reads the vector, and its cost', async (model) => {
  for (const encoding_format of [undefined, 'float', 'base64'] as const) {
    const response = await openai.embeddings.create({
      model,
      input: 'Hello',
      ...(encoding_format && { encoding_format }),
    });
    const { embedding } = response.data[0] ?? {};
    expect(typeof embedding === 'string' ? floatsOf(embedding) : [...(embedding ?? [])]).toEqual(VECTOR);
    expect(response.model).toBe(model);
    expect(response.usage.prompt_tokens).toBeGreaterThan(0);
    expect(at(response.usage, 'cost')).toBeGreaterThan(0);
  }
});

it('over-openai: Google’s SDK reads the vectors, and their cost', async () => {
  const response = await genai.models.embedContent({ model: 'over-openai', contents: ['Hello', 'there'] });
  expect(response.embeddings).toEqual([{ values: VECTOR }, { values: VECTOR }]);
  expect(at(response.usageMetadata, 'cost')).toBeGreaterThan(0);
});

it('received a valid request', () => {
  const calls = provider.getRequests().map(({ path, response }) => `${path} ${response.status}`);
  expect(new Set(calls)).toEqual(new Set(['/v1/embeddings 200', '/v1beta/models/upstream-name:embedContent 200']));
});

function floatsOf(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}

import { describe, expect, test } from 'vitest';
import { clientRequest } from '../../../testing/anthropic-messages/requests.ts';
import type { JsonRecord } from '../../json/record.ts';

const FACTS = {
  tokensPerRequest: 0,
  tokensPerMessage: 0,
  maxTokensPerImage: 5_000,
  maxOutputTokens: 8_000,
  contextWindow: 100_000,
};

function inputOf(members: JsonRecord): number {
  return clientRequest(members).bound(FACTS).inputTokens;
}

function content(...blocks: readonly JsonRecord[]): JsonRecord {
  return { messages: [{ role: 'user', content: blocks }] };
}

const PLAIN = inputOf({});
const LONG = 'x'.repeat(1_000);

describe('counts everything that can become part of the prompt', () => {
  test.each<[string, JsonRecord]>([
    ['a text', content({ type: 'text', text: LONG })],
    ['the system prompt', { system: LONG }],
    ['a tool', { tools: [{ name: 'f', input_schema: { type: 'object' }, description: LONG }] }],
    ['a result', content({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: LONG }] })],
    ['an input', content({ type: 'tool_use', id: 'a', name: 'f', input: { a: LONG } })],
    [
      'a text as a document',
      content({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: LONG } }),
    ],
    [
      'an input with the look of an image',
      content({ type: 'tool_use', id: 'a', name: 'f', input: { type: 'image', source: LONG } }),
    ],
    ['a schema for the output', { output_config: { format: { type: 'json_schema', schema: { a: LONG } } } }],
    ['an unknown field', { anything: LONG }],
    ['an unknown member of a message', { messages: [{ role: 'user', content: '', other: LONG }] }],
    [
      'an unknown member of an image',
      content({ type: 'image', source: { type: 'url', url: 'https://a.example' }, other: LONG }),
    ],
  ])('%s', (_name, members) => {
    expect(inputOf(members) - PLAIN).toBeGreaterThanOrEqual(990);
  });
});

test('counts images by the maximum of an image, at any place', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: LONG } };
  const members = content(image, { type: 'tool_result', tool_use_id: 'a', content: [image] });
  const bound = clientRequest(members).bound(FACTS);
  expect(bound).toMatchObject({ images: 2, modalities: ['text', 'image'] });
  expect(bound.inputTokens).toBeGreaterThan(10_000);
  expect(bound.inputTokens).toBeLessThan(10_500);
});

test('a document other than text counts as the context window', () => {
  const source = { type: 'url', url: 'https://a.example/a.pdf' };
  const inner = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'document', source }] };
  expect(clientRequest(content({ type: 'document', source })).bound(FACTS)).toMatchObject({
    inputTokens: 100_000,
    modalities: ['text', 'file'],
  });
  expect(inputOf(content(inner))).toBe(100_000);
});

test('a tool that a result names counts again', () => {
  const tools = [{ name: 'f', input_schema: { type: 'object' }, description: LONG }];
  const named = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'tool_reference', tool_name: 'f' }] };
  expect(inputOf({ tools, ...content(named) }) - inputOf({ tools })).toBeGreaterThan(1_000);
});

test('tools that Anthropic defines count with its overhead', () => {
  const bash = { type: 'bash_20250124', name: 'bash' };
  expect(inputOf({ tools: [bash] }) - PLAIN).toBeGreaterThan(2_000);
  expect(inputOf({ tools: [{ type: 'computer_toolset_20260801' }] }) - PLAIN).toBeGreaterThan(16_000);
});

test('the output is the smaller of the client’s limit and the model’s', () => {
  expect(clientRequest({}).bound(FACTS)).toMatchObject({
    requestedOutputTokens: 4_096,
    outputTokensPerChoice: 4_096,
    choices: 1,
  });
  expect(clientRequest({ max_tokens: 9_000 }).bound(FACTS).outputTokensPerChoice).toBe(8_000);
  expect(clientRequest({ max_tokens: 0 }).bound(FACTS).outputTokensPerChoice).toBe(0);
});

test('returns all texts of the prompt for counting, without media bytes', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'BYTES' } };
  const document = {
    type: 'document',
    title: 'Title',
    source: { type: 'text', media_type: 'text/plain', data: 'Words' },
  };
  const result = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'Result' }] };
  const tools = [{ name: 'f', input_schema: { type: 'object' } }];
  const texts = clientRequest({
    system: 'System',
    tools,
    ...content({ type: 'text', text: 'Text' }, image, document, result),
  }).texts();
  expect(texts).toEqual(['System', 'Text', 'Title', 'Words', 'Result', JSON.stringify(tools[0])]);
});

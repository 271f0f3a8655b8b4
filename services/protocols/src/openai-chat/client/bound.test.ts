import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runToEnd } from '../../lists/stages.ts';
import type { ModelFacts } from '../../request/bound.ts';
import { boundRequest } from './bound.ts';
import { parseRequest } from './parse.ts';

const FACTS: ModelFacts = {
  tokensPerRequest: 3,
  tokensPerMessage: 4,
  maxTokensPerImage: 1_000,
  maxOutputTokens: 500,
  contextWindow: 100_000,
};

function bound(fields: object, facts: Partial<ModelFacts> = {}) {
  const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields };
  const result = runToEnd(parseRequest(Buffer.from(JSON.stringify(body))));
  if (!result.ok) throw new Error(result.error.message);
  return boundRequest(result.parsed, { ...FACTS, ...facts });
}

const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(50_000)}` } };

describe('boundRequest', () => {
  test('bounds text by its UTF-8 bytes and the template’s overhead', () => {
    expect(bound(user('hi')).inputTokens).toBe(2 + 4 + 3);
    expect(bound(user('é🌍')).inputTokens).toBe(6 + 4 + 3);
    expect(bound(user([{ type: 'text', text: 'hi' }])).inputTokens).toBe(2 + 4 + 3);
  });

  test('counts the smaller of both output limits for each choice', () => {
    expect(bound({})).toMatchObject({ requestedOutputTokens: undefined, outputTokensPerChoice: 500, choices: 1 });
    expect(bound({ max_tokens: 20, n: 3 })).toMatchObject({
      requestedOutputTokens: 20,
      outputTokensPerChoice: 20,
      choices: 3,
    });
    expect(bound({ max_completion_tokens: 9_999 })).toMatchObject({
      requestedOutputTokens: 9_999,
      outputTokensPerChoice: 500,
    });
  });

  test('bounds images by their number, not by their bytes', () => {
    const result = bound(user([{ type: 'text', text: 'hi' }, image, image]));
    expect(result).toMatchObject({ inputTokens: 2_000 + 9, images: 2, modalities: ['text', 'image'] });
  });

  test('never exceeds the context window for text, and counts all of it for a file', () => {
    expect(bound(user('x'.repeat(200_000))).inputTokens).toBe(100_000);
    const file = { type: 'file', file: { file_data: 'AAAA' } };
    expect(bound(user([file]))).toMatchObject({ inputTokens: 100_000, modalities: ['text', 'file'] });
    expect(bound(user([image, { type: 'text', text: 'x'.repeat(200_000) }])).inputTokens).toBe(101_000);
  });

  test('counts what providers write around tools', () => {
    const tool = { type: 'function', function: { name: 'f' } };
    const [none, one, two] = [[], [tool], [tool, tool]].map((tools) => bound({ tools }).inputTokens);
    expect(one).toBeGreaterThan((none ?? 0) + 512);
    expect(two).toBeGreaterThan((one ?? 0) + 32);
  });

  test('distinguishes audio', () => {
    const audio = { type: 'input_audio', input_audio: { data: 'A'.repeat(100), format: 'wav' } };
    expect(bound(user([audio]))).toMatchObject({ inputTokens: 107, modalities: ['text', 'audio'] });
  });

  test('adds predicted output for each choice', () => {
    expect(bound({ prediction: { type: 'content', content: '12345' }, n: 2 }).extraOutputTokens).toBe(10);
  });

  test.each([
    ['a tool', (text: string) => ({ tools: [{ type: 'function', function: { name: 'f', description: text } }] })],
    [
      'a key of a tool schema',
      (text: string) => ({ tools: [{ type: 'function', function: { name: 'f', parameters: { [text]: 1 } } }] }),
    ],
    ['a function', (text: string) => ({ functions: [{ name: 'f', description: text }] })],
    [
      'a response schema',
      (text: string) => ({
        response_format: { type: 'json_schema', json_schema: { name: 's', schema: { const: text } } },
      }),
    ],
    ['an unknown field', (text: string) => ({ documents: [{ text }] })],
    [
      'an unknown field of a message',
      (text: string) => ({ messages: [{ role: 'assistant', content: 'a', reasoning_content: text }] }),
    ],
    [
      'a member named __proto__',
      (text: string) => ({ messages: [{ role: 'user', content: 'a', ['__proto__']: { a: text } }] }),
    ],
    [
      'tool call arguments',
      (text: string) => ({
        messages: [
          { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: text } }] },
        ],
      }),
    ],
    ['a name', (text: string) => ({ messages: [{ role: 'user', content: 'a', name: text }] })],
    ['a tool result', (text: string) => ({ messages: [{ role: 'tool', tool_call_id: 'c', content: text }] })],
  ])('counts text in %s', (_, fields) => {
    expect(bound(fields('x'.repeat(1_000))).inputTokens).toBeGreaterThanOrEqual(bound(fields('')).inputTokens + 1_000);
  });

  test('is at least the bytes of all strings in messages, and grows with every message', () => {
    const content = fc.oneof(
      fc.string(),
      fc.array(fc.record({ type: fc.constant('text'), text: fc.string() }), { minLength: 1 }),
    );
    const message = fc.record({ role: fc.constant('user'), content });
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 8 }), (messages) => {
        const texts = messages.flatMap(({ content: one }) =>
          typeof one === 'string' ? [one] : one.map((part) => part.text),
        );
        const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
        expect(bound({ messages }).inputTokens).toBe(bytes + 3 + 4 * messages.length);
      }),
    );
  });
});

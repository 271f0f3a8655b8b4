import { describe, expect, test } from 'vitest';
import { runToEnd } from '../../lists/stages.ts';
import type { ModelFacts } from '../../request/bound.ts';
import { boundRequest } from './bound.ts';
import { parseRequest } from './parse.ts';

const FACTS: ModelFacts = {
  tokensPerRequest: 10,
  tokensPerMessage: 5,
  maxTokensPerImage: 1_000,
  maxOutputTokens: 4_096,
  contextWindow: 100_000,
};

function bound(body: Record<string, unknown>) {
  const result = runToEnd(parseRequest(Buffer.from(JSON.stringify({ model: 'm', ...body }))));
  if (!result.ok) throw new Error(result.error.message);
  return boundRequest(result.parsed, FACTS);
}

const message = (...content: unknown[]) => ({ input: [{ role: 'user', content }] });

describe('boundRequest', () => {
  test('counts a text by its bytes, with the overhead of a message', () => {
    expect(bound({ input: 'häi' })).toEqual({
      inputTokens: 4 + 10 + 5,
      images: 0,
      modalities: ['text'],
      choices: 1,
      requestedOutputTokens: undefined,
      outputTokensPerChoice: 4_096,
      extraOutputTokens: 0,
    });
  });

  test('counts instructions, tools, schemas, signatures and unknown fields', () => {
    const base = bound({ input: 'hi' }).inputTokens;
    const text = 'x'.repeat(500);
    for (const more of [
      { instructions: text },
      { tools: [{ type: 'function', name: 'f', description: text }] },
      { text: { format: { type: 'json_schema', name: 'n', schema: { description: text } } } },
      { unknown: { deep: [text] } },
    ]) {
      expect(bound({ input: 'hi', ...more }).inputTokens).toBeGreaterThanOrEqual(base + 500);
    }
    const wrapped = { input: [{ type: 'reasoning', summary: [], encrypted_content: text }] };
    expect(bound(wrapped).inputTokens).toBeGreaterThanOrEqual(500);
    const call = { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: text }] };
    expect(bound(call).inputTokens).toBeGreaterThanOrEqual(500);
    const other = { input: [{ type: 'shell_call', action: { commands: [text] } }] };
    expect(bound(other).inputTokens).toBeGreaterThanOrEqual(500);
  });

  test('does not count generation settings', () => {
    const steered = { input: 'hi', metadata: { a: 'x'.repeat(100) }, user: 'u', temperature: 1, include: ['x'] };
    expect(bound(steered).inputTokens).toBe(bound({ input: 'hi' }).inputTokens);
  });

  test('counts images by their maximum, at any place', () => {
    const image = { type: 'input_image', image_url: `data:image/png;base64,${'A'.repeat(5_000)}` };
    const one = bound(message({ type: 'input_text', text: 'hi' }, image));
    expect(one).toMatchObject({ images: 1, modalities: ['text', 'image'] });
    expect(one.inputTokens).toBeLessThan(1_000 + 100);
    const result = { input: [{ type: 'function_call_output', call_id: 'c', output: [image, image] }] };
    expect(bound(result)).toMatchObject({ images: 2 });
    const screenshot = { type: 'computer_screenshot', image_url: 'https://a' };
    expect(bound({ input: [{ type: 'computer_call_output', call_id: 'c', output: screenshot }] })).toMatchObject({
      images: 1,
    });
  });

  test('counts a file as the context window, and audio by its base64', () => {
    expect(bound(message({ type: 'input_file', file_url: 'https://a' }))).toMatchObject({
      inputTokens: 100_000,
      modalities: ['text', 'file'],
    });
    const audio = { type: 'input_audio', input_audio: { data: 'A'.repeat(400), format: 'wav' } };
    const heard = bound(message(audio));
    expect(heard.modalities).toEqual(['text', 'audio']);
    expect(heard.inputTokens).toBeGreaterThanOrEqual(400);
  });

  test('is never above the context window, and takes the smaller output limit', () => {
    expect(bound({ input: 'x'.repeat(200_000) }).inputTokens).toBe(100_000);
    expect(bound({ input: 'hi', max_output_tokens: 50 })).toMatchObject({
      requestedOutputTokens: 50,
      outputTokensPerChoice: 50,
    });
    expect(bound({ input: 'hi', max_output_tokens: 5_000 })).toMatchObject({ outputTokensPerChoice: 4_096 });
  });
});

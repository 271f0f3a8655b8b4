import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Controls, controlsSchema } from '../controls/schema.ts';
import { parseRequest } from '../openai-chat/request.ts';
import { planOutput } from './plan.ts';
import { TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST } from './tokens.ts';

const controls: fc.Arbitrary<Controls> = fc
  .record(
    {
      output_tokens: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constant('max' as const)),
      text: fc.string({ unit: 'binary' }),
      reasoning_tokens: fc.integer({ min: 0, max: 300 }),
      cached_tokens: fc.integer({ min: 0, max: 300 }),
      tool_calls: fc.array(fc.record({ name: fc.constant('f'), arguments: fc.string() }), {
        minLength: 1,
        maxLength: 3,
      }),
    },
    { requiredKeys: [] },
  )
  .map((given) => controlsSchema.parse(given));

function plan(body: object, given: Controls) {
  const text = JSON.stringify(body);
  const read = parseRequest(text);
  if (!read.ok) throw new Error(read.response.body);
  return planOutput('openai-chat', read.request.conversation, Buffer.from(text), given);
}

describe('planOutput', () => {
  it('counts at most the limit as output, and at most bytes and overhead as input', () => {
    const messages = fc.array(
      fc.record({ role: fc.constantFrom('user', 'assistant', 'system'), content: fc.string({ unit: 'grapheme' }) }),
      { minLength: 1, maxLength: 5 },
    );
    const limit = fc.integer({ min: 1, max: 200 });
    fc.assert(
      fc.property(messages, limit, fc.integer({ min: 1, max: 3 }), controls, (given, maxTokens, n, requested) => {
        const body = { model: 'm', messages: given, max_completion_tokens: maxTokens, n };
        const { usage, finish } = plan(body, requested);
        const bytes = given.reduce((sum, message) => sum + Buffer.byteLength(message.content), 0);
        expect(usage.output).toBeLessThanOrEqual(maxTokens * n);
        expect(usage.input).toBeLessThanOrEqual(bytes + given.length * TOKENS_PER_MESSAGE + TOKENS_PER_REQUEST);
        expect(usage.cacheRead).toBeLessThanOrEqual(usage.input);
        expect(usage.reasoning).toBeLessThanOrEqual(usage.output);
        if (finish === 'length') expect(usage.output).toBe(maxTokens * n);
      }),
    );
  });

  it('uses the full limit if requested', () => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'x' }], max_tokens: 500 };
    const { usage, finish } = plan(body, { output_tokens: 'max' });
    expect(usage.output).toBe(500);
    expect(finish).toBe('length');
  });
});

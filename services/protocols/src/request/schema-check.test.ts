import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { requestSchema as messagesSchema } from '../anthropic-messages/shared/schema.ts';
import { requestSchema as geminiSchema } from '../gemini/shared/schema.ts';
import { requestSchema as chatSchema } from '../openai-chat/shared/schema.ts';
import { itemSchemas, requestSchema as responsesSchema } from '../openai-responses/shared/schema.ts';
import { isAccepted } from './schema-check.ts';

const URL = 'data:image/png;base64,AAAA';
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } } };

const EXAMPLES: readonly (readonly [string, z.ZodType, unknown])[] = [
  [
    'chat completions',
    chatSchema,
    {
      model: 'm',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: URL, detail: 'low' } }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ type: 'function', id: 'c1', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
      ],
      temperature: 0.5,
      max_completion_tokens: 10,
      seed: -3,
      stop: ['a', 'b'],
      logit_bias: { 5: -1.5 },
      metadata: { a: 1 },
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: PARAMETERS, strict: true } },
      tools: [{ type: 'function', function: { name: 'f', parameters: PARAMETERS } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
      stream: true,
      stream_options: { include_usage: true },
    },
  ],
  [
    'messages',
    messagesSchema,
    {
      model: 'm',
      max_tokens: 9,
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            { type: 'text', text: 'Hi' },
          ],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: { a: 1 } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: '1' }] }] },
      ],
      tools: [{ name: 'f', input_schema: PARAMETERS, max_uses: 2 }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      stop_sequences: ['x'],
      top_k: 4,
    },
  ],
  [
    'responses',
    responsesSchema,
    {
      model: 'm',
      input: [{ role: 'user', content: 'Hi' }],
      instructions: 'Be brief.',
      metadata: { a: 'b' },
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_schema', name: 'n', schema: PARAMETERS }, verbosity: 'low' },
      tools: [{ type: 'function', name: 'f', parameters: PARAMETERS }],
      tool_choice: 'required',
      truncation: 'auto',
    },
  ],
  [
    'an item of responses',
    itemSchemas.message,
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'Hi' },
        { type: 'input_image', image_url: URL },
      ],
    },
  ],
  [
    'generateContent',
    geminiSchema,
    {
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 's' }] },
        { role: 'function', parts: [{ functionResponse: { name: 'f', response: { b: 2 } } }] },
      ],
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [{ functionDeclarations: [{ name: 'f', parameters: PARAMETERS }] }],
      generationConfig: { temperature: 0.5, topK: 40, thinkingConfig: { thinkingBudget: -1 }, stopSequences: ['x'] },
      labels: { a: 'b' },
    },
  ],
];

/** Values at the edges of types and ranges. */
const replacement = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    'a',
    'text',
    'user',
    true,
    0,
    -1,
    1.5,
    129,
    2 ** 53,
    -(2 ** 53),
    Number.POSITIVE_INFINITY,
    [],
    {},
    [{}],
  ),
  fc.jsonValue({ maxDepth: 2 }),
  fc.constant({ constructor: 1 }),
);

/** A value with one of the values within it replaced, removed, or given another member. */
function mutated(value: unknown, pick: number, by: unknown): unknown {
  const places = placesOf(value, []);
  const place = places[pick % places.length] ?? [];
  const copy: unknown = structuredClone(value);
  const key = place.at(-1);
  if (key === undefined) return by;
  let parent = copy;
  for (const step of place.slice(0, -1)) parent = isObject(parent) ? Reflect.get(parent, step) : undefined;
  if (!isObject(parent)) return copy;
  if (by === undefined) Reflect.deleteProperty(parent, key);
  else Reflect.set(parent, key, by);
  return copy;
}

function placesOf(value: unknown, path: readonly string[]): (readonly string[])[] {
  if (!isObject(value)) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...path, key]))];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

describe.each(EXAMPLES)('isAccepted for %s', (_name, schema, example) => {
  test('accepts a usual request itself', () => {
    expect(isAccepted(schema, example)).toBe(true);
    expect(isAccepted(schema, { ...Object(example), unknown_member: [1] })).toBe(true);
  });

  test('accepts nothing that zod rejects', () => {
    const change = fc.tuple(fc.nat(), fc.option(replacement, { nil: undefined }));
    let rejected = 0;
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const value = changes.reduce((before: unknown, [pick, by]) => mutated(before, pick, by), example);
        const expected = schema.safeParse(value).success;
        if (!expected) rejected++;
        if (isAccepted(schema, value)) expect(expected).toBe(true);
        // What it leaves to zod is rare, so that valid requests are not checked twice.
        else if (expected) expect(JSON.stringify(value)).toContain('"constructor":');
      }),
      { numRuns: 2_000 },
    );
    expect(rejected).toBeGreaterThan(100);
  });
});

test('leaves to zod what it does not know', () => {
  expect(isAccepted(z.string().email(), 'a@example.com')).toBe(false);
  expect(isAccepted(z.int32(), 1)).toBe(false);
  expect(isAccepted(z.strictObject({}), {})).toBe(false);
  expect(
    isAccepted(
      z.looseObject({}).refine(() => false),
      {},
    ),
  ).toBe(false);
  expect(isAccepted(z.number().gt(1), 2)).toBe(false);
});

test('counts the characters of a text as zod does', () => {
  const schema = z.string().min(3).max(4);
  for (const text of ['😀😀', '😀😀😀', 'abc', 'abcd', 'abcde', 'abcdef']) {
    if (isAccepted(schema, text)) expect(schema.safeParse(text).success).toBe(true);
  }
  expect(isAccepted(z.string().min(1), '😀')).toBe(true);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PathParameters } from '../../interface/protocol.ts';
import { runToEnd } from '../../lists/stages.ts';
import { parseRequest } from './parse.ts';

const CALL: PathParameters = { model: 'm', stream: 'none' };
const HI = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };

function decode(body: unknown) {
  return runToEnd(parseRequest(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), CALL));
}

function problem(body: unknown): string | undefined {
  const result = decode(body);
  return result.ok ? undefined : result.error.message;
}

const withField = (field: object) => ({ ...HI, ...field });
const withPart = (part: unknown) => ({ contents: [{ parts: [part] }] });

describe('parseRequest', () => {
  test('decodes both names of a field, and keeps the client’s name', () => {
    const result = decode({
      contents: [{ parts: [{ inline_data: { mime_type: 'image/png', data: 'AA==' } }] }],
      system_instruction: { parts: [{ text: 's' }] },
      generation_config: { max_output_tokens: 5, response_schema: { any_of: [{ type: 'string' }] } },
      tools: [{ function_declarations: [{ name: 'f', parameters: { properties: { a_b: { min_items: 1 } } } }] }],
    });
    expect(result).toMatchObject({
      ok: true,
      parsed: {
        request: {
          contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }] }],
          systemInstruction: { parts: [{ text: 's' }] },
          generationConfig: { maxOutputTokens: 5, responseSchema: { anyOf: [{ type: 'string' }] } },
          tools: [{ functionDeclarations: [{ name: 'f', parameters: { properties: { a_b: { minItems: 1 } } } }] }],
        },
      },
    });
    const aliases = result.ok ? result.parsed.aliases : undefined;
    expect(aliases?.path('generationConfig.maxOutputTokens')).toBe('generation_config.max_output_tokens');
    expect(aliases?.path('generationConfig.topK')).toBe('generation_config.topK');
    expect(aliases?.path('contents[0].parts[0].inlineData.mimeType')).toBe(
      'contents[0].parts[0].inline_data.mime_type',
    );
  });

  test('does not change the client’s own keys', () => {
    const body = withPart({
      functionCall: { name: 'f', args: { top_k: 1, inline_data: { mime_type: 'x' } } },
      partMetadata: { part_kind: 1 },
    });
    const result = decode({ ...body, labels: { a_b: 'c' } });
    expect(result.ok && result.parsed.request).toEqual({ ...body, labels: { a_b: 'c' } });
  });

  // LangChain sends the role `system`; the provider ignores any role there.
  test('accepts instructions with any role', () => {
    const body = withField({ systemInstruction: { role: 'system', parts: [{ text: 'Be brief.' }] } });
    expect(problem(body)).toBeUndefined();
    expect(problem(withField({ systemInstruction: { role: 1, parts: [] } }))).toContain('systemInstruction.role');
  });

  test('accepts a single value for a list, without an index in its path', () => {
    const result = decode({ contents: { parts: { text: 'hi' } }, generationConfig: { stopSequences: 'x' } });
    expect(result).toMatchObject({
      ok: true,
      parsed: { request: { contents: [{ parts: [{ text: 'hi' }] }], generationConfig: { stopSequences: ['x'] } } },
    });
    expect(problem({ contents: { parts: { text: 5 } } })).toBe(
      'contents.parts.text: expected a string, found a number',
    );
  });

  test('accepts null for every optional field', () => {
    const config = ['candidateCount', 'maxOutputTokens', 'temperature', 'responseSchema', 'thinkingConfig'];
    const fields = ['systemInstruction', 'tools', 'toolConfig', 'safetySettings', 'cachedContent', 'serviceTier'];
    const nulls = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));
    expect(decode(withField({ ...nulls(fields), generationConfig: nulls(config) })).ok).toBe(true);
    expect(decode(withPart({ text: 'a', thought: null, functionCall: null })).ok).toBe(true);
  });

  test.each<[unknown, string]>([
    [{}, 'contents: required, but missing'],
    [{ contents: [] }, 'contents: expected at least 1 element'],
    [{ contents: ['hi'] }, 'contents[0]: expected an object, found a string'],
    [{ contents: [{ role: 'assistant' }] }, 'contents[0].role: expected "user", "model" or "function"'],
    [withPart({ text: 5 }), 'contents[0].parts[0].text: expected a string, found a number'],
    [withPart({ functionCall: {} }), 'contents[0].parts[0].functionCall.name: required, but missing'],
    [withPart({ function_call: {} }), 'contents[0].parts[0].function_call.name: required, but missing'],
    [
      withPart({ text: 'a', inline_data: { mime_type: 'x', data: '' } }),
      'contents[0].parts[0].inline_data: a part can have only one of its kinds',
    ],
    [withField({ generation_config: { top_p: 2 } }), 'generation_config.top_p: expected a number of at most 1'],
    [
      withField({ generationConfig: {}, generation_config: {} }),
      'generation_config: given in camel case and in snake case; send only one',
    ],
    [
      withField({ generationConfig: { topK: 1, top_k: 1 } }),
      'generationConfig.top_k: given in camel case and in snake case; send only one',
    ],
    [
      withField({ generationConfig: { candidateCount: 0 } }),
      'generationConfig.candidateCount: expected a number of at least 1',
    ],
    [
      withField({ generationConfig: { maxOutputTokens: '5' } }),
      'generationConfig.maxOutputTokens: expected a number, found a string',
    ],
    [
      withField({ tools: [{ functionDeclarations: [{ name: '1 f' }] }] }),
      'tools[0].functionDeclarations[0].name: must begin with a letter or underscore and have at most 128 letters, digits, underscores, dots, colons or dashes',
    ],
    ['', 'the body is empty; it must be a JSON object'],
    ['{"contents":[],"contents":[]}', 'contents: the key appears more than once in its object'],
  ])('rejects %j: %s', (body, message) => {
    expect(problem(body)).toBe(message);
  });

  test('does not quote the client’s values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const secret = 'SECRET-d1f0';
        const message = problem({ contents: [{ role: secret, parts: [value] }], tools: { a: secret } });
        expect(message).not.toContain(secret);
      }),
    );
  });

  test('never throws, whatever the body', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void runToEnd(parseRequest(Buffer.from(bytes), CALL))));
    const key = fc.constantFrom('contents', 'generation_config', 'generationConfig', 'tools', 'parts', '__proto__');
    fc.assert(fc.property(fc.dictionary(key, fc.jsonValue()), (body) => void decode(body)));
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runToEnd } from '../../lists/stages.ts';
import { parseRequest } from './parse.ts';

const VALID = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };

function decode(body: unknown) {
  return runToEnd(parseRequest(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))));
}

function problem(body: unknown): string | undefined {
  const result = decode(body);
  return result.ok ? undefined : result.error.message;
}

const withField = (field: object) => ({ ...VALID, ...field });
const withMessage = (message: unknown) => ({ ...VALID, messages: [...VALID.messages, message] });

describe('parseRequest', () => {
  test('reads the fields that the gateway needs', () => {
    const result = decode(
      withField({
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: null,
        max_completion_tokens: 9,
        n: 2,
      }),
    );
    expect(result).toMatchObject({
      ok: true,
      parsed: { model: 'm', isStream: true, includeUsage: true, outputLimit: 9, choices: 2 },
    });
    expect(decode(VALID)).toMatchObject({
      ok: true,
      parsed: { isStream: false, includeUsage: false, outputLimit: undefined, choices: 1 },
    });
  });

  test('accepts every documented field, and keeps unknown ones', () => {
    const body = {
      model: 'm',
      messages: [
        { role: 'system', content: 's', name: 'n' },
        { role: 'developer', content: [{ type: 'text', text: 'd', prompt_cache_breakpoint: { mode: 'explicit' } }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'u' },
            { type: 'image_url', image_url: { url: 'https://x/y.png', detail: 'high' } },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
            { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          refusal: null,
          reasoning_content: 'kept',
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } },
            { id: 'c2', type: 'custom', custom: { name: 'g', input: 'x' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'r' },
        { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: 'r' }] },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
        { role: 'function', name: 'f', content: null },
      ],
      frequency_penalty: -2,
      function_call: 'auto',
      functions: [{ name: 'f' }],
      logit_bias: { 50256: -100 },
      logprobs: true,
      max_completion_tokens: 1,
      metadata: { a: 'b' },
      modalities: ['text'],
      n: 128,
      parallel_tool_calls: false,
      prediction: { type: 'content', content: 'p' },
      presence_penalty: 2,
      prompt_cache_key: 'k',
      prompt_cache_options: { mode: 'explicit' },
      prompt_cache_retention: '24h',
      reasoning_effort: 'xhigh',
      response_format: { type: 'json_schema', json_schema: { name: 's', strict: true, schema: { type: 'object' } } },
      safety_identifier: 's',
      seed: -1,
      service_tier: 'auto',
      stop: ['a', 'b', 'c', 'd'],
      store: false,
      stream: true,
      stream_options: { include_obfuscation: false },
      temperature: 2,
      tool_choice: { type: 'function', function: { name: 'f' } },
      tools: [
        { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: null } },
        { type: 'custom', custom: { name: 'g', format: { type: 'text' } } },
      ],
      top_logprobs: 20,
      top_p: 0,
      user: 'u',
      verbosity: 'low',
      web_search_options: {},
      vendor_extension: { anything: [1, 2] },
    };
    const result = decode(body);
    expect(result.ok && result.parsed.request).toEqual(body);
  });

  test('accepts null for every optional field, as in the SDKs’ types', () => {
    const fields = [
      'frequency_penalty',
      'logit_bias',
      'logprobs',
      'max_completion_tokens',
      'max_tokens',
      'metadata',
      'modalities',
      'n',
      'prediction',
      'presence_penalty',
      'reasoning_effort',
      'seed',
      'service_tier',
      'stop',
      'store',
      'stream',
      'stream_options',
      'temperature',
      'top_logprobs',
      'top_p',
      'verbosity',
      'audio',
      'prompt_cache_key',
      'user',
      'tools',
    ];
    expect(decode(withField(Object.fromEntries(fields.map((field) => [field, null])))).ok).toBe(true);
  });

  test.each<[unknown, string]>([
    [{ messages: VALID.messages }, 'model: required, but missing'],
    [withField({ model: 5 }), 'model: expected a string, found a number'],
    [withField({ model: '' }), 'model: expected at least 1 character'],
    [{ model: 'm' }, 'messages: required, but missing'],
    [withField({ messages: [] }), 'messages: expected at least 1 element'],
    [withField({ messages: 'hi' }), 'messages: expected an array, found a string'],
    [withMessage('hi'), 'messages[1]: expected an object, found a string'],
    [withMessage({ content: 'x' }), 'messages[1].role: required, but missing'],
    [withMessage({ role: 'user', content: 5 }), 'messages[1].content: expected a string or an array, found a number'],
    [withMessage({ role: 'user' }), 'messages[1].content: required, but missing'],
    [withMessage({ role: 'user', content: null }), 'messages[1].content: expected a string or an array, found null'],
    [withMessage({ role: 'user', content: [] }), 'messages[1].content: expected at least 1 element'],
    [withMessage({ role: 'user', content: ['x'] }), 'messages[1].content[0]: expected an object, found a string'],
    [
      withMessage({ role: 'user', content: [{ type: 'text', text: 1 }] }),
      'messages[1].content[0].text: expected a string, found a number',
    ],
    [
      withMessage({ role: 'user', content: [{ type: 'image_url', image_url: 7 }] }),
      'messages[1].content[0].image_url: expected an object, found a number',
    ],
    [withMessage({ role: 'tool', content: 'x' }), 'messages[1].tool_call_id: required, but missing'],
    [
      withMessage({ role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f' } }] }),
      'messages[1].tool_calls[0].function.arguments: required, but missing',
    ],
    [withField({ temperature: 2.1 }), 'temperature: expected a number of at most 2'],
    [withField({ temperature: '1' }), 'temperature: expected a number, found a string'],
    [withField({ max_tokens: 0 }), 'max_tokens: expected a number of at least 1'],
    [withField({ max_tokens: 1.5 }), 'max_tokens: expected an integer, found a fraction'],
    [withField({ n: 0 }), 'n: expected a number of at least 1'],
    [
      '{"model":"m","messages":[{"role":"user","content":"a"}],"n":1e400}',
      'n: expected a number, found a number out of range',
    ],
    [withField({ stream: 'true' }), 'stream: expected a boolean, found a string'],
    [withField({ stop: ['1', '2', '3', '4', '5'] }), 'stop: expected at most 4 elements'],
    [withField({ stop: 1 }), 'stop: expected a string or an array, found a number'],
    [withField({ logit_bias: { 1: 101 } }), 'logit_bias["1"]: expected a number of at most 100'],
    [withField({ top_logprobs: 21, logprobs: true }), 'top_logprobs: expected a number of at most 20'],
    [withField({ tools: [{ type: 'function' }] }), 'tools[0].function: required, but missing'],
    [withField({ tools: [{ type: 'custom', function: { name: 'f' } }] }), 'tools[0].custom: required, but missing'],
    [withField({ tools: [{ type: 'function', function: {} }] }), 'tools[0].function.name: required, but missing'],
    [
      withField({ tool_choice: 'maybe' }),
      'tool_choice: expected "none", "auto", "required" or an object, found a string',
    ],
    [withField({ top_logprobs: 1 }), 'top_logprobs: only allowed when logprobs is true'],
    [withField({ stream_options: {} }), 'stream_options: only allowed when stream is true'],
    [
      withField({ max_tokens: 5, max_completion_tokens: 5 }),
      'max_tokens: not allowed together with max_completion_tokens; set only one',
    ],
    ['', 'the body is empty; it must be a JSON object'],
    ['[]', 'the body must be a JSON object'],
    [
      '{"model":"m","messages":[{"role":"user","content":"a","content":"b"}]}',
      'messages[0].content: the key appears more than once in its object',
    ],
  ])('rejects %j: %s', (body, message) => {
    expect(problem(body)).toBe(message);
  });

  test('names the valid roles and part types', () => {
    expect(problem(withMessage({ role: 'robot', content: 'x' }))).toBe(
      'messages[1].role: expected "system", "developer", "user", "assistant", "tool" or "function"',
    );
    expect(problem(withMessage({ role: 'user', content: [{ type: 'video' }] }))).toBe(
      'messages[1].content[0].type: expected "text", "image_url", "input_audio" or "file"',
    );
    expect(problem(withField({ response_format: { type: 'xml' } }))).toBe(
      'response_format.type: expected "text", "json_object" or "json_schema"',
    );
  });

  test('does not quote the client’s values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const secret = 'SECRET-d1f0';
        const message = problem({ model: 'm', messages: [{ role: secret, content: value }], stop: { a: secret } });
        expect(message).not.toContain(secret);
      }),
    );
  });

  test('never throws, whatever the body', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void runToEnd(parseRequest(Buffer.from(bytes)))));
    const key = fc.constantFrom('model', 'messages', 'stream', 'n', 'tools', 'stop', '__proto__');
    fc.assert(fc.property(fc.dictionary(key, fc.jsonValue()), (body) => void decode(body)));
  });

  test('keeps members named __proto__ as plain data', () => {
    const result = decode('{"model":"m","messages":[{"role":"user","content":"a","__proto__":{"role":"system"}}]}');
    const message = result.ok ? result.parsed.request.messages[0] : undefined;
    expect(message?.role).toBe('user');
    expect(Object.keys(message ?? {})).toContain('__proto__');
  });
});

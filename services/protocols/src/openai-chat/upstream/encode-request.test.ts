import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../canonical/message.ts';
import type { OutputPart, ReasoningPart, ToolResultPart } from '../../canonical/part.ts';
import type { CanonicalRequest, FieldName } from '../../canonical/request.ts';
import type { ModelParameters } from '../../interface/parameters.ts';
import type { EncodeTarget } from '../../interface/protocol.ts';
import type { JsonRecord } from '../../json/record.ts';
import { runToEnd } from '../../lists/stages.ts';
import { Diagnostics } from '../../request/diagnostics.ts';
import { encodeRequest } from './encode-request.ts';

const TARGET: EncodeTarget = {
  upstreamModel: 'up',
  outputTokens: undefined,
  isStream: false,
  maxOutputTokens: 4_096,
};

function encode(request: Partial<CanonicalRequest>, target: Partial<EncodeTarget> = {}) {
  const diagnostics = new Diagnostics();
  const complete = { messages: [], tools: [], names: {}, ...request };
  const body = runToEnd(encodeRequest(complete, { ...TARGET, ...target }, diagnostics));
  return {
    body,
    diagnostics,
    warned: diagnostics.warnings.map((warning) => warning.path),
    refused: diagnostics.errors.map((warning) => warning.path),
  };
}

/** For a provider that accepts reasoning and signatures in earlier messages. */
function messagesOf(...messages: Message[]): readonly JsonRecord[] {
  const parameters = { reasoningHistory: 'reasoning_content' as const, extraContent: true };
  const { messages: written } = encode({ messages }, { parameters }).body;
  if (!Array.isArray(written)) throw new Error('no messages');
  return written;
}

const text = (words: string) => ({ type: 'text' as const, text: words });
const user = (...parts: Extract<Message, { role: 'user' }>['parts']): Message => ({ role: 'user', parts });
const assistant = (...parts: OutputPart[]): Message => ({ role: 'assistant', parts });
const call = (id: string, more: object = {}): OutputPart => ({
  type: 'tool-call',
  id,
  name: 'f',
  kind: 'function',
  input: '{"a":1}',
  ...more,
});
const result = (callId: string, more: Partial<ToolResultPart> = {}): ToolResultPart => ({
  type: 'tool-result',
  callId,
  kind: 'function',
  parts: [text('r')],
  isError: false,
  ...more,
});

describe('messages', () => {
  test('have a single text as a string, and several as parts', () => {
    expect(messagesOf({ role: 'developer', parts: [text('a')] }, user(text('b'), text('c')))).toEqual([
      { role: 'developer', content: 'a' },
      { role: 'user', content: [text('b'), text('c')] },
    ]);
  });

  test('have images, audio and documents', () => {
    const parts = user(
      { type: 'image', source: { kind: 'url', url: 'https://a.example/b.png' }, detail: 'low' },
      { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AA==' } },
      { type: 'audio', mediaType: 'audio/mpeg', data: 'AA==' },
      { type: 'file', source: { kind: 'data', mediaType: 'application/pdf', data: 'AA==' } },
      { type: 'file', source: { kind: 'text', text: 'words' }, title: 'T', context: 'C' },
    );
    expect(messagesOf(parts)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'low' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
          { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,AA==' } },
          { type: 'text', text: 'T\n\nC\n\nwords' },
        ],
      },
    ]);
  });

  test('give calls and results the same id, valid for OpenAI', () => {
    const id = `toolu_${'x'.repeat(60)}`;
    const [spoken, answered] = messagesOf(assistant(call(id)), { role: 'tool', parts: [result(id)] });
    expect(spoken).toMatchObject({ content: null, tool_calls: [{ type: 'function' }] });
    const given = String(answered?.['tool_call_id']);
    expect(given.length).toBeLessThanOrEqual(40);
    expect(JSON.stringify(spoken)).toContain(JSON.stringify(given));
  });

  test('send an empty object for a function without input, which all upstreams can parse', () => {
    expect(messagesOf(assistant(call('c', { input: '' })))[0]).toMatchObject({
      tool_calls: [{ function: { arguments: '{}' } }],
    });
  });

  test('put media of tool results into a user message after all results', () => {
    const image = { type: 'image' as const, source: { kind: 'url' as const, url: 'https://a.example' } };
    const results: Message = {
      role: 'tool',
      parts: [result('1', { parts: [text('x'), image], at: 'here' }), result('2')],
    };
    const { body, warned } = encode({ messages: [results] });
    expect(body['messages']).toEqual([
      { role: 'tool', tool_call_id: '1', content: [text('x'), text(expect.stringContaining('next user message'))] },
      { role: 'tool', tool_call_id: '2', content: 'r' },
      {
        role: 'user',
        content: [
          text(expect.stringContaining('tool call 1')),
          { type: 'image_url', image_url: { url: 'https://a.example' } },
        ],
      },
    ]);
    expect(warned).toEqual(['here']);
  });

  test('state in text that a tool failed', () => {
    const { body, warned } = encode({ messages: [{ role: 'tool', parts: [result('1', { isError: true, at: 'p' })] }] });
    expect(body['messages']).toMatchObject([{ content: [text('The tool call failed:'), text('r')] }]);
    expect(warned).toEqual(['p']);
  });

  test('send reasoning as text, and signatures only to their provider', () => {
    const thought = (opaque?: ReasoningPart['opaque']): ReasoningPart => ({
      type: 'reasoning',
      form: 'full',
      text: 'hm',
      ...(opaque && { opaque }),
    });
    const own = { origin: 'openai-chat' as const, data: 'own' };
    const other = { origin: 'anthropic-messages' as const, data: 'other' };
    expect(messagesOf(assistant(thought(other), text('a')))[0]).toEqual({
      role: 'assistant',
      content: 'a',
      reasoning_content: 'hm',
    });
    expect(messagesOf(assistant(thought(own), text('a')))[0]).toMatchObject({
      reasoning_content: 'hm',
      reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 'own' }],
    });
    const silent = { ...thought(other), text: '', at: 'there' };
    const { body, warned } = encode({ messages: [assistant(silent, text('a'))] });
    expect(body['messages']).toEqual([{ role: 'assistant', content: 'a' }]);
    expect(warned).toEqual(['there']);
    const wrapped = { opaque: { origin: 'gemini' as const, data: 'sig' } };
    expect(messagesOf(assistant(call('c', wrapped)))[0]).toMatchObject({
      tool_calls: [{ extra_content: { google: { thought_signature: 'sig' } } }],
    });
    expect(messagesOf(assistant(call('c', { opaque: other })))[0]).toMatchObject({
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
    });
  });

  test('have Google’s placeholder at an unsigned first call for Gemini models that require a signature', () => {
    const sent = (parameters: ModelParameters, ...parts: OutputPart[]) =>
      encode({ messages: [assistant(...parts)] }, { parameters }).body['messages'];
    const signed = { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } };
    const required = { extraContent: true, signedCalls: true };
    const [first, second] = [call('a'), call('b')];
    expect(sent(required, first, second)).toMatchObject([{ tool_calls: [{ id: 'a', ...signed }, { id: 'b' }] }]);
    expect(JSON.stringify(sent(required, first, second)).split('extra_content')).toHaveLength(2);
    expect(JSON.stringify(sent({ signedCalls: true }, first))).not.toContain('extra_content');
    expect(JSON.stringify(sent({ extraContent: true }, first))).not.toContain('extra_content');
  });

  test('have neither reasoning nor signatures for a provider that is not known to accept them', () => {
    const thought: ReasoningPart = { type: 'reasoning', form: 'full', text: 'hm', at: 'there' };
    const signed = call('c', { opaque: { origin: 'gemini', data: 'sig' } });
    const { body, warned } = encode({ messages: [assistant(thought, text('a'), signed)] });
    expect(body['messages']).toEqual([
      {
        role: 'assistant',
        content: 'a',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
    ]);
    expect(warned).toEqual(['there']);
  });

  test('have a content if only reasoning is left of a turn', () => {
    const thought: ReasoningPart = { type: 'reasoning', form: 'full', text: 'Hm' };
    const wrapped: ReasoningPart = { ...thought, text: '', opaque: { origin: 'gemini', data: 's' } };
    expect(messagesOf(user(text('a')), assistant(thought), user(text('b')), assistant(wrapped))).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: '', reasoning_content: 'Hm' },
      { role: 'user', content: 'b' },
      { role: 'assistant', content: '' },
    ]);
    expect(messagesOf(assistant(call('c')))[0]).toMatchObject({ content: null });
  });

  test('have the client’s path of each part', () => {
    const { diagnostics } = encode({
      messages: [
        { role: 'user', at: 'contents[0]', parts: [{ ...text('a'), at: 'contents[0].parts[0]' }] },
        { role: 'tool', parts: [result('1', { at: 'contents[1].parts[0]' })] },
      ],
      temperature: 1,
      names: { temperature: 'generationConfig.temperature' },
    });
    expect(Object.fromEntries(diagnostics.places())).toEqual({
      'messages[0]': 'contents[0]',
      'messages[0].content[0]': 'contents[0].parts[0]',
      'messages[1]': 'contents[1].parts[0]',
      temperature: 'generationConfig.temperature',
    });
  });

  test.each<[string, Message]>([
    ['a video', user({ type: 'file', source: { kind: 'data', mediaType: 'video/mp4', data: '' }, at: 'x' })],
    ['a document by its address', user({ type: 'file', source: { kind: 'url', url: 'https://a.example' }, at: 'x' })],
    ['a recording of another format', user({ type: 'audio', mediaType: 'audio/ogg', data: '', at: 'x' })],
    ['an image of an earlier response', assistant({ type: 'image', source: { kind: 'url', url: 'u' }, at: 'x' })],
  ])('cannot have %s', (_, message) => {
    expect(encode({ messages: [message] }).refused).toEqual(['x']);
  });
});

describe('fields', () => {
  const FUNCTION = { type: 'function' as const, name: 'f' };
  const CUSTOM = { type: 'custom' as const, name: 'c', grammar: { syntax: 'lark', definition: 'd' } };
  const tools = [FUNCTION, CUSTOM];

  test('returns few edits for a plain request', () => {
    expect(encode({ messages: [user(text('a'))] }).body).toEqual({
      model: 'up',
      messages: [{ role: 'user', content: 'a' }],
    });
  });

  test('request the usage of every stream, and the limit set by the balance', () => {
    expect(encode({ maxOutputTokens: 90 }, { isStream: true, outputTokens: 7 }).body).toEqual({
      model: 'up',
      messages: [],
      max_completion_tokens: 7,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(encode({ maxOutputTokens: 90 }).body).toMatchObject({ max_completion_tokens: 90 });
  });

  test('declare tools and choose among them', () => {
    expect(encode({ tools, toolChoice: { type: 'tool', name: 'c' } }).body).toMatchObject({
      tools: [
        { type: 'function', function: { name: 'f' } },
        {
          type: 'custom',
          custom: { name: 'c', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'd' } } },
        },
      ],
      tool_choice: { type: 'custom', custom: { name: 'c' } },
    });
    expect(
      encode({ tools, toolChoice: { type: 'allowed', mode: 'required', names: ['f'] } }).body['tool_choice'],
    ).toEqual({
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
    });
  });

  test('have no tool fields without tools', () => {
    const { body, refused } = encode({ toolChoice: { type: 'none' }, parallelToolCalls: false });
    expect(body).toEqual({ model: 'up', messages: [] });
    expect(refused).toEqual([]);
    expect(encode({ toolChoice: { type: 'required' }, names: { toolChoice: 'tc' } }).refused).toEqual(['tc']);
  });

  test.each<[FieldName, Partial<CanonicalRequest>, object]>([
    ['topK', { topK: 4 }, {}],
    ['metadata', { metadata: { a: 'b' } }, {}],
    ['truncation', { truncation: 'auto' }, {}],
    ['cache', { cache: { ttl: '1h' } }, {}],
    ['cacheRetention', { cacheRetention: 'forever' }, {}],
    ['userId', { userId: 'u'.repeat(65) }, { user: hash('sha256', 'u'.repeat(65)) }],
    ['temperature', { temperature: 2.5 }, { temperature: 2 }],
    ['reasoning', { reasoning: { adaptive: true, show: 'auto' } }, {}],
  ])('warn of dropped or changed fields by the client’s name: %s in %j', (field, request, said) => {
    const { body, warned, refused } = encode({ ...request, names: { [field]: 'its.name' } });
    expect(body).toEqual({ model: 'up', messages: [], ...said });
    expect({ warned, refused }).toEqual({ warned: ['its.name'], refused: [] });
  });

  test.each<[Partial<CanonicalRequest>, object]>([
    [{ truncation: 'disabled' }, {}],
    [{ cache: {} }, {}],
    [{ reasoning: { adaptive: true } }, {}],
    [{ reasoning: { budgetTokens: 0, show: 'none' } }, { reasoning_effort: 'none' }],
    [{ reasoning: { effort: 'xhigh' } }, { reasoning_effort: 'xhigh' }],
    [{ userId: 'u' }, { user: 'u' }],
    [{ logprobs: { top: 2 } }, { logprobs: true, top_logprobs: 2 }],
    [
      { responseFormat: { type: 'json-schema', schema: {} } },
      { response_format: { type: 'json_schema', json_schema: { name: 'response', schema: {} } } },
    ],
  ])('encode %j without a warning', (request, said) => {
    const { body, warned } = encode(request);
    expect(body).toEqual({ model: 'up', messages: [], ...said });
    expect(warned).toEqual([]);
  });

  const OPEN = { type: 'object', properties: { a: { type: 'string' } } };
  const ANY = { type: 'object' };
  const CLOSED = { ...OPEN, required: ['a'], additionalProperties: false };

  test.each([
    [{ ...OPEN, required: ['a'] }, true, CLOSED, true, []],
    [CLOSED, true, CLOSED, true, []],
    [OPEN, true, OPEN, undefined, ['x']],
    [ANY, true, ANY, undefined, ['x']],
    [OPEN, false, OPEN, false, []],
  ])(
    'hold calls to a schema as far as OpenAI does: %j, strict %j',
    (parameters, strict, sent, sentStrict, warnings) => {
      const { body, warned } = encode({ tools: [{ ...FUNCTION, parameters, strict, at: 'x' }] });
      const definition = { name: 'f', parameters: sent, ...(sentStrict !== undefined && { strict: sentStrict }) };
      expect(body['tools']).toEqual([{ type: 'function', function: definition }]);
      expect(warned).toEqual(warnings);
    },
  );

  test.each([
    [{ ...OPEN, required: ['a'] }, true, CLOSED, true, []],
    [OPEN, true, OPEN, false, ['x']],
    [OPEN, false, OPEN, false, []],
  ])('apply a schema as strictly as OpenAI does: %j, strict %j', (schema, strict, sent, sentStrict, warnings) => {
    const responseFormat = { type: 'json-schema' as const, schema, strict };
    const { body, warned } = encode({ responseFormat, names: { responseFormat: 'x' } });
    const json_schema = { name: 'response', schema: sent, strict: sentStrict };
    expect(body['response_format']).toEqual({ type: 'json_schema', json_schema });
    expect(warned).toEqual(warnings);
  });

  test('mention JSON if it is requested, as OpenAI requires', () => {
    const asked = { responseFormat: { type: 'json' as const }, names: { responseFormat: 'x' } };
    const silent = encode({ ...asked, messages: [{ ...user(text('a')), at: 'here' }] });
    expect(silent.body['messages']).toEqual([
      { role: 'system', content: expect.stringContaining('JSON') },
      { role: 'user', content: 'a' },
    ]);
    expect(silent.warned).toEqual(['x']);
    expect(silent.diagnostics.places().get('messages[1]')).toBe('here');
    const reported = encode({ ...asked, messages: [user(text('Give me json'))] });
    expect(reported.body['messages']).toHaveLength(1);
    expect(reported.warned).toEqual([]);
  });
});

describe('a schema that the provider does not enforce', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 0 } }, required: ['n'] };
  const request: Partial<CanonicalRequest> = {
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi', at: 'q' }], at: 'p' }],
    responseFormat: { type: 'json-schema', name: 'a', schema, strict: false },
    names: { responseFormat: 'output_config.format' },
  };

  test('is an instruction in front of the conversation, with a warning', () => {
    const { body, warned, diagnostics } = encode(request, { parameters: { jsonSchema: false } });
    expect(body).toMatchObject({ response_format: { type: 'json_object' } });
    expect(body['messages']).toEqual([
      { role: 'system', content: expect.stringContaining(JSON.stringify(schema)) },
      expect.objectContaining({ role: 'user' }),
    ]);
    expect(warned).toEqual(['output_config.format']);
    expect(diagnostics.places().get('messages[1]')).toBe('p');
  });

  test('is not, where the provider enforces it', () => {
    const { body, warned } = encode(request);
    expect(body).toMatchObject({ response_format: { type: 'json_schema' }, messages: [{ role: 'user' }] });
    expect(warned).toEqual([]);
  });
});

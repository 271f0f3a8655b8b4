import { describe, expect, test } from 'vitest';
import { wrapOpaque } from '../../canonical/opaque.ts';
import type { CanonicalRequest } from '../../canonical/request.ts';
import { textFingerprint } from '../../canonical/text-fingerprint.ts';
import { runToEnd } from '../../lists/stages.ts';
import { decodeRequest } from './decode-request.ts';
import { parseRequest } from './parse.ts';

const USER = { role: 'user', content: 'hi' };

function decode(fields: object) {
  const read = runToEnd(parseRequest(Buffer.from(JSON.stringify({ model: 'm', messages: [USER], ...fields }))));
  if (!read.ok) throw new Error(read.error.message);
  return runToEnd(decodeRequest(read.parsed));
}

function canonical(fields: object): CanonicalRequest {
  const result = decode(fields);
  if (!result.ok) throw new Error(result.error.message);
  return result.request;
}

const turns = (...messages: object[]) => canonical({ messages }).messages;
const warned = (fields: object) => {
  const result = decode(fields);
  return result.ok ? result.warnings.map((warning) => warning.path) : [`refused: ${result.error.path}`];
};
const refused = (fields: object) => {
  const result = decode(fields);
  return result.ok ? undefined : result.error.path;
};

const call = (id: string, more: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: '{"a":1}' },
  ...more,
});

describe('messages', () => {
  test('are decoded with the path of each part', () => {
    expect(
      turns(
        { role: 'developer', content: 'be kind' },
        {
          role: 'user',
          name: 'Ann',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'low' } },
            { type: 'image_url', image_url: { url: 'data:image/PNG;base64,AA==' } },
            { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
            { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' } },
          ],
        },
      ),
    ).toEqual([
      {
        role: 'developer',
        parts: [{ type: 'text', text: 'be kind', at: 'messages[0].content' }],
        at: 'messages[0]',
      },
      {
        role: 'user',
        name: 'Ann',
        at: 'messages[1]',
        parts: [
          { type: 'text', text: 'see', at: 'messages[1].content[0]' },
          {
            type: 'image',
            source: { kind: 'url', url: 'https://a.example/b.png' },
            detail: 'low',
            at: 'messages[1].content[1]',
          },
          {
            type: 'image',
            source: { kind: 'data', mediaType: 'image/png', data: 'AA==' },
            at: 'messages[1].content[2]',
          },
          { type: 'audio', mediaType: 'audio/mpeg', data: 'AA==', at: 'messages[1].content[3]' },
          {
            type: 'file',
            source: { kind: 'data', mediaType: 'application/pdf', data: 'AA==' },
            filename: 'a.pdf',
            at: 'messages[1].content[4]',
          },
        ],
      },
    ]);
  });

  test('keep calls and their results together, of functions and custom tools', () => {
    const custom = { id: '2', type: 'custom', custom: { name: 'patch', input: '*** Begin' } };
    const [, assistant, results] = turns(
      USER,
      { role: 'assistant', content: '', tool_calls: [call('1'), custom] },
      { role: 'tool', tool_call_id: '2', content: [{ type: 'text', text: 'x' }] },
      { role: 'tool', tool_call_id: '1', content: '' },
    );
    expect(assistant?.parts).toMatchObject([
      { type: 'tool-call', id: '1', kind: 'function', name: 'f', input: '{"a":1}', at: 'messages[1].tool_calls[0]' },
      { type: 'tool-call', id: '2', kind: 'custom', name: 'patch', input: '*** Begin' },
    ]);
    expect(results).toMatchObject({
      role: 'tool',
      parts: [
        { callId: '2', kind: 'custom', parts: [{ text: 'x' }], isError: false },
        { callId: '1', kind: 'function', parts: [], at: 'messages[3]' },
      ],
    });
  });

  test('match results of the older functions to their calls', () => {
    const [, first, answered, second] = turns(
      USER,
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: 'r' },
      { role: 'assistant', content: 'done', function_call: { name: 'f', arguments: '{}' } },
    );
    const [call1] = first?.parts ?? [];
    const [, call2] = second?.parts ?? [];
    if (call1?.type !== 'tool-call' || call2?.type !== 'tool-call') throw new Error('no calls');
    expect(answered?.parts).toMatchObject([{ type: 'tool-result', callId: call1.id, parts: [{ text: 'r' }] }]);
    expect(call2.id).not.toBe(call1.id);
  });

  test('are in normal form: adjacent messages of one role are merged, and empty ones dropped', () => {
    expect(
      turns(
        { role: 'system', content: '' },
        USER,
        {
          role: 'user',
          content: [
            { type: 'text', text: '' },
            { type: 'text', text: 'b' },
          ],
        },
        { role: 'assistant', content: null },
        USER,
      ).map((turn) => turn.parts.length),
    ).toEqual([3]);
    expect(turns({ role: 'user', content: '' })).toMatchObject([{ parts: [{ text: '' }] }]);
  });

  test('have the reasoning, refusals and citations of an assistant', () => {
    const signature = { origin: 'anthropic-messages' as const, data: 'sig' };
    const [, turn] = turns(USER, {
      role: 'assistant',
      content: 'see',
      refusal: 'no',
      annotations: [{ type: 'url_citation', url_citation: { url: 'u', title: 't', start_index: 0, end_index: 3 } }],
      reasoning_content: 'hm, so',
      reasoning_details: [
        { type: 'reasoning.text', text: 'hm,', index: 0 },
        { type: 'reasoning.text', text: ' so', signature: wrapOpaque(signature, 'openai-chat'), index: 0 },
        { type: 'reasoning.summary', summary: 'in short', index: 1 },
        { type: 'reasoning.encrypted', data: 'own', index: 2 },
        {
          type: 'reasoning.encrypted',
          data: wrapOpaque({ origin: 'gemini', data: 'g', of: { text: textFingerprint('see') } }, 'openai-chat'),
        },
      ],
      tool_calls: [call('1', { extra_content: { google: { thought_signature: 'gsig' } } })],
    });
    expect(turn?.parts).toMatchObject([
      { type: 'reasoning', form: 'full', text: 'hm, so', opaque: signature },
      { type: 'reasoning', form: 'summary', text: 'in short' },
      { type: 'reasoning', text: '', opaque: { origin: 'openai-chat', data: 'own' } },
      {
        type: 'text',
        text: 'see',
        citations: [{ url: 'u', title: 't', textRange: { start: 0, end: 3 } }],
        opaque: { origin: 'gemini', data: 'g' },
      },
      { type: 'refusal', text: 'no' },
      { type: 'tool-call', opaque: { origin: 'gemini', data: 'gsig' } },
    ]);
    expect(turns(USER, { role: 'assistant', reasoning: 'hm', content: 'a' })[1]?.parts).toMatchObject([
      { type: 'reasoning', form: 'full', text: 'hm' },
      { type: 'text' },
    ]);
  });

  test('have cache hints of either name', () => {
    const hinted = { type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } };
    const other = { type: 'text', text: 'b', cache_control: { type: 'ephemeral', ttl: '1h' } };
    const [first, second] = turns(
      { role: 'system', content: [hinted, other] },
      { role: 'user', content: 'c', cache_control: { type: 'ephemeral' } },
    );
    expect(first?.parts).toMatchObject([{ cache: {} }, { cache: { ttl: '1h' } }]);
    expect(second?.parts).toMatchObject([{ text: 'c', cache: {} }]);
  });

  test.each([
    [
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,x' } }] }],
      'messages[0].content[0].image_url.url',
    ],
    [
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,???' } }] }],
      'messages[0].content[0].image_url.url',
    ],
    [
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'u', detail: 'vast' } }] }],
      'messages[0].content[0].image_url.detail',
    ],
    [
      [{ role: 'user', content: [{ type: 'file', file: { filename: 'a.pdf' } }] }],
      'messages[0].content[0].file.file_data',
    ],
    [[USER, { role: 'tool', tool_call_id: 'nobody', content: 'r' }], 'messages[1].tool_call_id'],
    [[USER, { role: 'function', name: 'f', content: 'r' }], 'messages[1].name'],
    [[{ role: 'assistant', content: '' }], 'messages'],
  ])('cannot be %j', (messages, path) => {
    expect(refused({ messages })).toBe(path);
  });

  test('warn once of unknown members', () => {
    const odd = (role: string) => ({ role, content: 'a', timestamp: 1, parsed: null });
    expect(warned({ messages: [odd('user'), odd('assistant'), odd('user')] })).toEqual(['messages[0].timestamp']);
  });
});

describe('fields', () => {
  test('are decoded with the client’s names', () => {
    const {
      names,
      messages: _messages,
      tools: _tools,
      ...fields
    } = canonical({
      max_tokens: 5,
      temperature: 1,
      top_p: 0.5,
      top_k: 3,
      seed: 4,
      n: 2,
      stop: 'END',
      presence_penalty: 1,
      frequency_penalty: -1,
      logit_bias: { 50256: -100 },
      logprobs: true,
      verbosity: 'low',
      reasoning_effort: 'high',
      prompt_cache_key: 'k',
      prompt_cache_retention: '24h',
      prompt_cache_options: { mode: 'implicit' },
      user: 'u',
      response_format: { type: 'json_schema', json_schema: { name: 'n', strict: true, schema: { type: 'object' } } },
    });
    expect(fields).toEqual({
      maxOutputTokens: 5,
      temperature: 1,
      topP: 0.5,
      topK: 3,
      seed: 4,
      choices: 2,
      stop: ['END'],
      presencePenalty: 1,
      frequencyPenalty: -1,
      logitBias: { 50256: -100 },
      logprobs: { top: 0 },
      verbosity: 'low',
      reasoning: { effort: 'high' },
      cacheKey: 'k',
      cacheRetention: '24h',
      cache: {},
      userId: 'u',
      responseFormat: { type: 'json-schema', name: 'n', strict: true, schema: { type: 'object' } },
    });
    expect(names).toMatchObject({
      maxOutputTokens: 'max_tokens',
      userId: 'user',
      choices: 'n',
      reasoning: 'reasoning_effort',
    });
    expect(Object.keys(names).sort()).toEqual(Object.keys(fields).sort());
  });

  test('without meaning elsewhere, or with the default, are dropped', () => {
    const fields = {
      stream: true,
      stream_options: { include_usage: true },
      store: false,
      service_tier: 'auto',
      modalities: ['text'],
      best_of: 1,
      logit_bias: {},
      stop: [],
      logprobs: false,
      parallel_tool_calls: true,
      tool_choice: 'auto',
      temperature: null,
    };
    expect(warned(fields)).toEqual([]);
    expect(canonical(fields)).toEqual(canonical({}));
  });

  test('that are unknown cause a warning', () => {
    expect(warned({ min_p: 0.1, prediction: { type: 'content', content: 'a' }, nothing: null, top_k: 0.5 })).toEqual([
      'min_p',
      'prediction',
      'top_k',
    ]);
    expect(warned({ user: 'a', safety_identifier: 'b' })).toEqual(['user']);
    expect(canonical({ user: 'a', safety_identifier: 'b' })).toMatchObject({ userId: 'b' });
  });

  test.each([
    [{ verbosity: 'vast' }, 'verbosity'],
    [{ reasoning_effort: 'vast' }, 'reasoning_effort'],
    [{ moderation: { model: 'm' } }, 'moderation'],
    [{ tools: [{ type: 'custom', custom: { name: 'c', format: { type: 'grammar' } } }] }, 'tools[0].custom.format'],
    [{ tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: { type: 'function' } }, 'tool_choice'],
    [
      {
        tools: [{ type: 'function', function: { name: 'f' } }],
        tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } },
      },
      'tool_choice.allowed_tools',
    ],
  ])('%j is rejected', (fields, path) => {
    expect(refused(fields)).toBe(path);
  });
});

describe('tools', () => {
  const parameters = { type: 'object', properties: {} };

  test('are functions and custom ones, without provider-run ones', () => {
    expect(
      canonical({
        tools: [
          { type: 'web_search' },
          { type: 'function', function: { name: 'f', description: 'd', parameters, strict: true }, cache_control: {} },
          {
            type: 'custom',
            custom: { name: 'c', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } },
          },
        ],
        tool_choice: { type: 'custom', custom: { name: 'c' } },
        parallel_tool_calls: false,
      }),
    ).toMatchObject({
      tools: [
        { type: 'function', name: 'f', description: 'd', parameters, strict: true, cache: {}, at: 'tools[1]' },
        { type: 'custom', name: 'c', grammar: { syntax: 'lark', definition: 'x' }, at: 'tools[2]' },
      ],
      toolChoice: { type: 'tool', name: 'c' },
      parallelToolCalls: false,
    });
    const { toolChoice } = canonical({ tools: [{ type: 'web_search' }], tool_choice: 'auto' });
    expect(toolChoice).toBeUndefined();
  });

  test('may be restricted, and may be the older functions', () => {
    const named = (name: string) => ({ type: 'function', function: { name } });
    const allowed = { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [named('f')] } };
    expect(canonical({ tools: [named('f'), named('g')], tool_choice: allowed }).toolChoice).toEqual({
      type: 'allowed',
      mode: 'required',
      names: ['f'],
    });
    expect(canonical({ functions: [{ name: 'f', parameters }], function_call: { name: 'f' } })).toMatchObject({
      tools: [{ type: 'function', name: 'f', parameters, at: 'functions[0]' }],
      toolChoice: { type: 'tool', name: 'f' },
      names: { toolChoice: 'function_call' },
    });
  });
});

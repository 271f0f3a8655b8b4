import { describe, expect, test } from 'vitest';
import { bodyOf, clientRequest, conversationAfter, parseText } from '../../../testing/anthropic-messages/requests.ts';
import { wrapOpaque } from '../../canonical/opaque.ts';
import type { CanonicalRequest } from '../../canonical/request.ts';
import type { CanonicalResult } from '../../interface/protocol.ts';
import type { JsonRecord } from '../../json/record.ts';
import { runToEnd } from '../../lists/stages.ts';
import { UNSIGNED } from '../shared/reasoning.ts';

function decoded(result: CanonicalResult): CanonicalRequest {
  if (!result.ok) throw new Error(result.error.message);
  return result.request;
}

function canonical(members: JsonRecord): CanonicalRequest {
  return decoded(runToEnd(clientRequest(members).canonical()));
}

function warned(members: JsonRecord): string[] {
  const result = runToEnd(clientRequest(members).canonical());
  if (!result.ok) throw new Error(result.error.message);
  return result.warnings.map((warning) => warning.path);
}

function refusal(members: JsonRecord): string | undefined {
  const result = runToEnd(clientRequest(members).canonical());
  return result.ok ? undefined : result.error.path;
}

const TOOL = { name: 'f', input_schema: { type: 'object', properties: {} } };

test('all fields with their names', () => {
  const { messages: _messages, ...fields } = canonical({
    temperature: 0.5,
    top_k: 4,
    top_p: 0.9,
    stop_sequences: ['END'],
    metadata: { user_id: 'u' },
    cache_control: { type: 'ephemeral', ttl: '1h' },
    output_config: { effort: 'high', format: { type: 'json_schema', schema: { type: 'object' } } },
    tools: [{ ...TOOL, description: 'Does it', strict: true, cache_control: { type: 'ephemeral' } }],
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
    service_tier: 'auto',
    speed: 'standard',
  });
  expect(fields).toEqual({
    temperature: 0.5,
    topK: 4,
    topP: 0.9,
    stop: ['END'],
    userId: 'u',
    cache: { ttl: '1h' },
    maxOutputTokens: 4_096,
    reasoning: { effort: 'high' },
    responseFormat: { type: 'json-schema', schema: { type: 'object' } },
    tools: [
      {
        type: 'function',
        name: 'f',
        description: 'Does it',
        parameters: TOOL.input_schema,
        strict: true,
        at: 'tools[0]',
        cache: {},
      },
    ],
    toolChoice: { type: 'required' },
    parallelToolCalls: false,
    names: {
      temperature: 'temperature',
      topK: 'top_k',
      topP: 'top_p',
      stop: 'stop_sequences',
      userId: 'metadata.user_id',
      cache: 'cache_control',
      maxOutputTokens: 'max_tokens',
      reasoning: 'output_config.effort',
      responseFormat: 'output_config.format',
      toolChoice: 'tool_choice',
      parallelToolCalls: 'tool_choice.disable_parallel_tool_use',
    },
  });
});

describe('thinking', () => {
  test.each([
    [
      { thinking: { type: 'enabled', budget_tokens: 2_000, display: 'omitted' } },
      { budgetTokens: 2_000, show: 'none' },
    ],
    [{ thinking: { type: 'adaptive', display: 'summarized' } }, { adaptive: true, show: 'auto' }],
    [
      { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
      { adaptive: true, effort: 'max' },
    ],
    [{ thinking: { type: 'disabled' } }, { effort: 'none' }],
    [{ thinking: { type: 'between_tools' } }, { effort: 'none' }],
    [{ output_config: { effort: 'unheard' } }, undefined],
  ])('%j', (members, expected) => {
    expect(canonical(members).reasoning).toEqual(expected);
  });
});

describe('turns', () => {
  test('tool results are a turn before the text they came with', () => {
    const result = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: '7' }], is_error: true };
    const { messages } = canonical({
      system: [{ type: 'text', text: 'Be short', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
        { role: 'user', content: [result, { type: 'text', text: 'So?' }] },
        { role: 'user', content: 'Well?' },
      ],
    });
    expect(messages).toEqual([
      {
        role: 'system',
        at: 'system',
        parts: [{ type: 'text', text: 'Be short', at: 'system[0]', cache: {} }],
      },
      { role: 'user', at: 'messages[0]', parts: [{ type: 'text', text: 'Hi', at: 'messages[0].content' }] },
      {
        role: 'assistant',
        at: 'messages[1]',
        parts: [{ type: 'tool-call', id: 'a', name: 'f', kind: 'function', input: '{}', at: 'messages[1].content[0]' }],
      },
      {
        role: 'tool',
        at: 'messages[2]',
        parts: [
          {
            type: 'tool-result',
            callId: 'a',
            kind: 'function',
            isError: true,
            at: 'messages[2].content[0]',
            parts: [{ type: 'text', text: '7', at: 'messages[2].content[0].content[0]' }],
          },
        ],
      },
      {
        role: 'user',
        at: 'messages[2]',
        parts: [
          { type: 'text', text: 'So?', at: 'messages[2].content[1]' },
          { type: 'text', text: 'Well?', at: 'messages[3].content' },
        ],
      },
    ]);
  });

  test('inputs keep the digits of their numbers', () => {
    const call = '{"type":"tool_use","id":"a","name":"f","input":{"id":12345678901234567890,"share":1.0}}';
    const text = JSON.stringify(bodyOf(conversationAfter([{ type: 'text', text: 'x' }])));
    const request = decoded(runToEnd(parseText(text.replace('{"type":"text","text":"x"}', call)).canonical()));
    expect(request.messages[1]?.parts[0]).toMatchObject({ input: '{"id":12345678901234567890,"share":1.0}' });
  });

  test('unwraps signatures of other providers, including those in separate parts', () => {
    const opaque = { origin: 'gemini', data: 'abc' } as const;
    const named = wrapOpaque({ ...opaque, of: { call: 'b' } }, 'anthropic-messages');
    const signature = wrapOpaque(opaque, 'anthropic-messages');
    const blocks = [
      { type: 'thinking', thinking: 'Hm', signature },
      { type: 'thinking', thinking: '', signature: named },
      { type: 'tool_use', id: 'a', name: 'f', input: {} },
      { type: 'tool_use', id: 'b', name: 'f', input: {} },
    ];
    expect(canonical(conversationAfter(blocks)).messages[1]?.parts).toMatchObject([
      { type: 'reasoning', text: 'Hm', opaque },
      { type: 'tool-call', id: 'a' },
      { type: 'tool-call', id: 'b', opaque },
    ]);
  });

  test('reads signatures as earlier versions sent them, after their part', () => {
    const opaque = { origin: 'gemini', data: 'abc' } as const;
    const blocks = [
      { type: 'tool_use', id: 'a', name: 'f', input: {} },
      { type: 'redacted_thinking', data: 'tg1.gemini.p.YWJj' },
    ];
    expect(canonical(conversationAfter(blocks)).messages[1]?.parts).toMatchObject([
      { type: 'tool-call', id: 'a', opaque },
    ]);
  });

  test.each([
    ['without the field', { type: 'thinking', thinking: 'Hm' }],
    ['with null', { type: 'thinking', thinking: 'Hm', signature: null }],
    ['with an empty one', { type: 'thinking', thinking: 'Hm', signature: '' }],
    ['with one that stands for none', { type: 'thinking', thinking: 'Hm', signature: UNSIGNED }],
  ])('reads reasoning without a signature: %s', (_, block) => {
    const parts = canonical(conversationAfter([block, { type: 'text', text: 'Sun.' }])).messages[1]?.parts;
    expect(parts).toEqual([
      { type: 'reasoning', form: 'summary', text: 'Hm', at: 'messages[1].content[0]' },
      { type: 'text', text: 'Sun.', at: 'messages[1].content[1]' },
    ]);
  });
});

describe('documents', () => {
  const user = (block: JsonRecord) =>
    canonical({ messages: [{ role: 'user', content: [block] }] }).messages[0]?.parts[0];

  test('keep their description and settings', () => {
    const source = { type: 'base64', media_type: 'application/pdf', data: 'aGk=' };
    const facts = { title: 'Report', context: 'Of May', citations: { enabled: true } };
    expect(user({ type: 'document', source, ...facts, cache_control: { type: 'ephemeral', ttl: '5m' } })).toEqual({
      type: 'file',
      source: { kind: 'data', mediaType: 'application/pdf', data: 'aGk=' },
      title: 'Report',
      context: 'Of May',
      citable: true,
      cache: { ttl: '5m' },
      at: 'messages[0].content[0]',
    });
  });

  test('of blocks, and search results, are texts', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    const text = { kind: 'text', text: 'a\n\nb' };
    expect(user({ type: 'document', source: { type: 'content', content } })).toMatchObject({ source: text });
    expect(user({ type: 'search_result', source: 'https://a.example', title: 'Page', content })).toMatchObject({
      type: 'file',
      source: text,
      title: 'Page',
      context: 'https://a.example',
    });
  });
});

describe('what other providers do not support', () => {
  test.each<[JsonRecord, string]>([
    [{ max_tokens: 0 }, 'max_tokens'],
    [
      { tools: [{ type: 'computer_20250124', name: 'computer' }], tool_choice: { type: 'tool', name: 'computer' } },
      'tool_choice.name',
    ],
    [conversationAfter([{ type: 'compaction', content: null }]), 'messages[1].content[0]'],
  ])('%j is rejected at %s', (members, path) => {
    expect(refusal(members)).toBe(path);
  });

  test.each<[JsonRecord, string[]]>([
    [{ tools: [TOOL, { type: 'computer_20250124', name: 'computer' }] }, ['tools[1].type']],
    [
      conversationAfter([{ type: 'tool_use', id: 'a', name: 'key', input: {}, toolset_name: 'computer' }]),
      ['messages[1].content[0].toolset_name'],
    ],
    [{ anything: 1, context_management: { edits: [] } }, ['anything', 'context_management']],
    [{ output_config: { task_budget: { type: 'tokens', total: 9 } } }, ['output_config.task_budget']],
    [{ tools: [{ ...TOOL, input_examples: [{}] }] }, ['tools[0].input_examples']],
    [{ thinking: { type: 'disabled' }, output_config: { effort: 'low' } }, ['output_config.effort']],
    [
      conversationAfter([
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        { type: 'text', text: 'a' },
      ]),
      ['messages[1].content[0]'],
    ],
  ])('%j is dropped with a warning at %j', (members, paths) => {
    expect(warned(members)).toEqual(paths);
  });

  test.each<JsonRecord>([
    { tools: [{ ...TOOL, defer_loading: true, eager_input_streaming: true, allowed_callers: ['direct'] }] },
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }], tool_choice: { type: 'auto' } },
    { inference_geo: 'global', container: null, diagnostics: { previous_message_id: null }, stream: true },
    conversationAfter([{ type: 'text', text: '' }]),
  ])('%j has no effect there', (members) => {
    expect(warned(members)).toEqual([]);
    expect(canonical(members).toolChoice).toBeUndefined();
  });
});

describe("Claude Code's attribution", () => {
  const ATTRIBUTION = {
    type: 'text',
    text: 'x-anthropic-billing-header: cc_version=2.1.330.649; cc_entrypoint=sdk-cli;',
  };
  const PROMPT = { type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral' } };

  test('is left out for providers of other protocols, without a warning', () => {
    const system = [ATTRIBUTION, PROMPT];
    expect(canonical({ system }).messages[0]).toMatchObject({
      role: 'system',
      parts: [{ type: 'text', text: PROMPT.text, at: 'system[1]', cache: {} }],
    });
    expect(warned({ system })).toEqual([]);
    expect(canonical({ system: [ATTRIBUTION] }).messages.map(({ role }) => role)).toEqual(['user']);
  });

  test('is not counted', () => {
    expect(clientRequest({ system: [ATTRIBUTION, PROMPT] }).texts()).toEqual(
      clientRequest({ system: [PROMPT] }).texts(),
    );
  });

  test('stays unchanged in front for Anthropic', () => {
    const request = clientRequest({ system: [ATTRIBUTION, PROMPT] });
    const sent = JSON.parse(request.editRequest({ upstreamModel: 'other', outputTokens: 5 }).toString());
    expect(sent.system).toEqual([ATTRIBUTION, PROMPT]);
  });

  test('is an ordinary text anywhere else', () => {
    const { messages } = canonical({ system: [PROMPT, ATTRIBUTION] });
    expect(messages[0]?.parts).toHaveLength(2);
    expect(canonical({ system: ATTRIBUTION.text }).messages[0]?.parts).toHaveLength(1);
  });
});

import { describe, expect, test } from 'vitest';
import type { CanonicalResult } from '../../interface/protocol.ts';
import { runToEnd } from '../../lists/stages.ts';
import { openaiResponses } from '../index.ts';

function canonical(body: Record<string, unknown>): CanonicalResult {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', input: 'hi', ...body }));
  const result = runToEnd(openaiResponses.parseRequest(bytes, { model: '', stream: 'none' }));
  if (!result.ok) throw new Error(result.error.message);
  return runToEnd(result.request.canonical());
}

function read(body: Record<string, unknown>) {
  const result = canonical(body);
  if (!result.ok) throw new Error(result.error.message);
  return result;
}

describe('decodeRequest', () => {
  test('decodes a conversation with paths', () => {
    const { request, warnings } = read({
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: 'Weather?' },
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [
            { type: 'summary_text', text: 'a' },
            { type: 'summary_text', text: 'b' },
          ],
          encrypted_content: 'gAAA',
        },
        {
          type: 'message',
          role: 'assistant',
          id: 'msg_1',
          phase: 'commentary',
          content: [{ type: 'output_text', text: 'Looking.', annotations: [] }],
        },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
        { type: 'custom_tool_call', call_id: 'c2', name: 'g', input: 'x' },
        { type: 'function_call_output', call_id: 'c1', output: 'sunny' },
        {
          type: 'custom_tool_call_output',
          call_id: 'c2',
          output: [{ type: 'input_image', image_url: 'https://i', detail: 'high' }],
        },
        { role: 'developer', content: [{ type: 'input_text', text: 'Now.' }] },
      ],
    });
    expect(warnings).toEqual([]);
    const opaque = { origin: 'openai-responses', data: '{"id":"rs_1","encrypted_content":"gAAA"}' };
    expect(request.messages).toEqual([
      { role: 'system', at: 'instructions', parts: [{ type: 'text', text: 'Be brief.', at: 'instructions' }] },
      { role: 'user', at: 'input[0]', parts: [{ type: 'text', text: 'Weather?', at: 'input[0].content' }] },
      {
        role: 'assistant',
        at: 'input[1]',
        parts: [
          { type: 'reasoning', form: 'summary', text: 'a\n\nb', opaque, at: 'input[1]' },
          { type: 'text', text: 'Looking.', at: 'input[2].content[0]' },
          { type: 'tool-call', kind: 'function', id: 'c1', name: 'f', input: '{"a":1}', at: 'input[3]' },
          { type: 'tool-call', kind: 'custom', id: 'c2', name: 'g', input: 'x', at: 'input[4]' },
        ],
      },
      {
        role: 'tool',
        at: 'input[5]',
        parts: [
          {
            type: 'tool-result',
            kind: 'function',
            callId: 'c1',
            isError: false,
            at: 'input[5]',
            parts: [{ type: 'text', text: 'sunny', at: 'input[5].output' }],
          },
          {
            type: 'tool-result',
            kind: 'custom',
            callId: 'c2',
            isError: false,
            at: 'input[6]',
            parts: [
              { type: 'image', source: { kind: 'url', url: 'https://i' }, detail: 'high', at: 'input[6].output[0]' },
            ],
          },
        ],
      },
      { role: 'developer', at: 'input[7]', parts: [{ type: 'text', text: 'Now.', at: 'input[7].content[0]' }] },
    ]);
  });

  test('decodes fields, and the client’s names for them', () => {
    const { request } = read({
      max_output_tokens: 100,
      temperature: 0.5,
      top_logprobs: 2,
      reasoning: { effort: 'low', summary: 'auto' },
      text: { format: { type: 'json_schema', name: 'n', schema: {}, strict: true }, verbosity: 'low' },
      safety_identifier: 'u',
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] },
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }],
    });
    expect(request).toMatchObject({
      maxOutputTokens: 100,
      temperature: 0.5,
      logprobs: { top: 2 },
      reasoning: { effort: 'low', show: 'auto' },
      responseFormat: { type: 'json-schema', name: 'n', schema: {}, strict: true },
      verbosity: 'low',
      userId: 'u',
      toolChoice: { type: 'allowed', mode: 'required', names: ['f'] },
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object' }, at: 'tools[0]' }],
      names: { responseFormat: 'text.format', userId: 'safety_identifier', logprobs: 'top_logprobs' },
    });
  });

  test('decodes files and audio', () => {
    const content = [
      { type: 'input_file', filename: 'a.csv', file_data: 'QQ==' },
      { type: 'input_file', file_data: 'data:application/pdf;base64,QQ==' },
      { type: 'input_file', file_url: 'https://f' },
      { type: 'input_audio', input_audio: { data: 'QQ==', format: 'mp3' } },
    ];
    const { request } = read({ input: [{ role: 'user', content }] });
    expect(request.messages[0]?.parts).toMatchObject([
      { type: 'file', filename: 'a.csv', source: { kind: 'data', mediaType: 'text/csv', data: 'QQ==' } },
      { type: 'file', source: { kind: 'data', mediaType: 'application/pdf', data: 'QQ==' } },
      { type: 'file', source: { kind: 'url', url: 'https://f' } },
      { type: 'audio', mediaType: 'audio/mpeg', data: 'QQ==' },
    ]);
  });

  test('decodes the tools of a namespace, and calls of them, by one name', () => {
    const { request } = read({
      input: [{ type: 'function_call', call_id: 'c', name: 'f', namespace: 'n', arguments: '{}' }],
      tools: [{ type: 'namespace', name: 'n', description: 'd', tools: [{ type: 'function', name: 'f' }] }],
    });
    expect(request.tools).toMatchObject([{ type: 'function', name: 'n__f', at: 'tools[0].tools[0]' }]);
    expect(request.messages[0]?.parts).toMatchObject([{ type: 'tool-call', name: 'n__f' }]);
  });

  test('counts tools declared later as tools of the request', () => {
    const later = { type: 'additional_tools', role: 'developer', tools: [{ type: 'custom', name: 'g' }] };
    expect(read({ input: [{ role: 'user', content: 'hi' }, later] }).request.tools).toEqual([
      { type: 'custom', name: 'g', at: 'input[1].tools[0]' },
    ]);
  });

  test('warns of fields that only their own provider has', () => {
    const { warnings } = read({
      x_unknown: 1,
      image: { context_compression: 'auto' },
      moderation: { model: 'omni' },
      reasoning: { effort: 'low', context: 'all_turns' },
      tools: [{ type: 'function', name: 'f', async: true }],
    });
    expect(warnings.map(({ path }) => path).sort()).toEqual([
      'image',
      'moderation',
      'reasoning.context',
      'tools[0].async',
      'x_unknown',
    ]);
    const silent = {
      store: false,
      background: false,
      service_tier: 'auto',
      max_tool_calls: 3,
      include: ['x'],
      prompt: null,
    };
    expect(read(silent).warnings).toEqual([]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["a provider's summary", { input: [{ type: 'compaction', encrypted_content: 'x' }] }, 'input[0]'],
    ['an unknown effort', { reasoning: { effort: 'huge' } }, 'reasoning.effort'],
    ['a choice of a tool that no function can describe', { tool_choice: { type: 'computer' } }, 'tool_choice'],
    [
      'moderation that blocks responses',
      { moderation: { model: 'm', policy: { input: { mode: 'block' } } } },
      'moderation.policy',
    ],
    [
      'a data URL without base64',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png,x' }] }] },
      'input[0].content[0].image_url',
    ],
    [
      'a file in a response',
      { input: [{ role: 'assistant', content: [{ type: 'input_file', file_url: 'https://f' }] }] },
      'input[0].content[0]',
    ],
    [
      'an image among instructions',
      { input: [{ role: 'system', content: [{ type: 'input_image', image_url: 'https://f' }] }] },
      'input[0].content[0]',
    ],
    ['an empty input', { input: [] }, 'input'],
  ])('rejects %s', (_, body, path) => {
    const result = canonical(body);
    expect(result).toMatchObject({ ok: false, error: { path } });
  });
});

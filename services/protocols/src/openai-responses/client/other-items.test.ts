import { describe, expect, test } from 'vitest';
import { runToEnd } from '../../lists/stages.ts';
import { openaiResponses } from '../index.ts';

const USER = { role: 'user', content: 'Hi' };

function canonical(input: readonly unknown[], body: Record<string, unknown> = {}) {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', input: [USER, ...input], ...body }));
  const result = runToEnd(openaiResponses.parseRequest(bytes, { model: '', stream: 'none' }));
  if (!result.ok) throw new Error(result.error.message);
  return runToEnd(result.request.canonical());
}

function decoded(input: readonly unknown[], body: Record<string, unknown> = {}) {
  const result = canonical(input, body);
  if (!result.ok) throw new Error(result.error.message);
  return { ...result.request, warnings: result.warnings };
}

describe('calls of the protocol’s own tools, with their outputs', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>, unknown, unknown[]]>([
    [
      'local_shell',
      { action: { type: 'exec', command: ['ls', '-l'], env: {} } },
      { output: 'a.txt' },
      { command: ['ls', '-l'], env: {} },
      [{ type: 'text', text: 'a.txt' }],
    ],
    [
      'shell',
      { action: { commands: ['ls'], timeout_ms: 9 } },
      { output: [{ stdout: 'a.txt', stderr: '', outcome: { type: 'exit', exit_code: 0 } }] },
      { commands: ['ls'], timeout_ms: 9 },
      [{ type: 'text', text: '{"stdout":"a.txt","stderr":"","outcome":{"type":"exit","exit_code":0}}' }],
    ],
    [
      'apply_patch',
      { operation: { type: 'delete_file', path: 'a.txt' } },
      { status: 'completed', output: 'Deleted.' },
      { type: 'delete_file', path: 'a.txt' },
      [{ type: 'text', text: 'Deleted.' }],
    ],
    [
      'computer',
      { action: { type: 'click', x: 1, y: 2 }, pending_safety_checks: [] },
      { output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,AAAA' } },
      { action: { type: 'click', x: 1, y: 2 }, pending_safety_checks: [] },
      [{ type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AAAA' } }],
    ],
    ['future', { steps: [1] }, { output: { n: 1 } }, { steps: [1] }, [{ type: 'text', text: '{"n":1}' }]],
  ])('%s become a function’s', (name, call, output, input, parts) => {
    const { messages } = decoded([
      { type: `${name}_call`, id: 'x_1', call_id: 'call_1', status: 'completed', ...call },
      { type: `${name}_call_output`, call_id: 'call_1', ...output },
    ]);
    expect(messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', parts: [{ type: 'tool-call', kind: 'function', id: 'call_1', name, at: 'input[1]' }] },
      { role: 'tool', parts: [{ type: 'tool-result', callId: 'call_1', isError: false, parts, at: 'input[2]' }] },
    ]);
    const part = messages[1]?.parts[0];
    expect(JSON.parse(part?.type === 'tool-call' ? part.input : '')).toEqual(input);
  });

  test('may name the item of the call instead of the call', () => {
    const { messages } = decoded([
      { type: 'local_shell_call', id: 'lsh_1', call_id: 'call_1', action: { type: 'exec', command: ['ls'] } },
      { type: 'local_shell_call_output', id: 'lsh_1', output: '' },
    ]);
    expect(messages[2]?.parts[0]).toMatchObject({ callId: 'call_1', parts: [] });
  });

  test('report a failed patch', () => {
    const { messages } = decoded([
      { type: 'apply_patch_call', call_id: 'call_1', operation: { type: 'delete_file', path: 'a' } },
      { type: 'apply_patch_call_output', call_id: 'call_1', status: 'failed', output: 'No such file.' },
    ]);
    expect(messages[2]?.parts[0]).toMatchObject({ isError: true });
  });

  test('need an id', () => {
    expect(canonical([{ type: 'future_call' }])).toMatchObject({ ok: false, error: { path: 'input[1].call_id' } });
  });
});

test('tools of the protocol become functions, except those that a function cannot describe', () => {
  const { tools, warnings } = decoded([], {
    tools: [
      { type: 'local_shell' },
      { type: 'shell', environment: { type: 'local' } },
      { type: 'apply_patch' },
      { type: 'tool_search', execution: 'client' },
      { type: 'computer' },
    ],
    tool_choice: { type: 'local_shell' },
  });
  expect(tools.map((tool) => [tool.type, tool.name, tool.at])).toEqual([
    ['function', 'local_shell', 'tools[0]'],
    ['function', 'shell', 'tools[1]'],
    ['function', 'apply_patch', 'tools[2]'],
    ['function', 'tool_search', 'tools[3]'],
  ]);
  for (const tool of tools) expect(tool).toMatchObject({ parameters: { type: 'object' } });
  expect(warnings.map(({ path }) => path)).toEqual(['tools[4]']);
});

test('a message of another agent is the user’s, without what only its provider can read', () => {
  const { messages, warnings } = decoded([
    {
      type: 'agent_message',
      author: '/root/reviewer',
      recipient: '/root',
      content: [
        { type: 'input_text', text: 'Looks good.' },
        { type: 'encrypted_content', encrypted_content: 'gAAA' },
      ],
    },
  ]);
  expect(messages[0]?.parts).toMatchObject([
    { text: 'Hi' },
    { text: 'Message from /root/reviewer:' },
    { text: 'Looks good.' },
  ]);
  expect(warnings.map(({ path }) => path)).toEqual(['input[1].content[1]']);
});

describe('an item of an unknown type', () => {
  test('without content is left out, with a warning', () => {
    const { messages, warnings } = decoded([{ type: 'future_mark', id: 'fm_1', status: 'completed', at: { turn: 1 } }]);
    expect(messages).toHaveLength(1);
    expect(warnings.map(({ path }) => path)).toEqual(['input[1]']);
  });

  test.each([
    ['a text', 'Be kind.'],
    ['parts', [{ type: 'input_text', text: 'Be kind.' }]],
  ])('with %s becomes a message of the user, with a warning', (_, content) => {
    const { messages, warnings } = decoded([{ type: 'future_note', content }]);
    const texts = messages.flatMap(({ role, parts }) => parts.map((part) => [role, 'text' in part ? part.text : '']));
    expect(texts).toEqual([
      ['user', 'Hi'],
      ['user', 'Item of the type future_note:'],
      ['user', 'Be kind.'],
    ]);
    expect(warnings.map(({ path }) => path)).toEqual(['input[1]']);
  });

  test.each(['compaction', 'future_memory'])('that only its provider can read is refused: %s', (type) => {
    expect(canonical([{ type, encrypted_content: 'gAAA' }])).toMatchObject({ ok: false, error: { path: 'input[1]' } });
  });

  test('is passed on unchanged to a provider of the protocol', () => {
    const item = { type: 'future_mark', id: 'fm_1', at: { turn: 1 } };
    const bytes = Buffer.from(JSON.stringify({ model: 'm', input: [USER, item] }));
    const result = runToEnd(openaiResponses.parseRequest(bytes, { model: '', stream: 'none' }));
    if (!result.ok) throw new Error(result.error.message);
    const { request } = result;
    expect(request.policy).toMatchObject({ errors: [], warnings: [] });
    const sent = JSON.parse(request.editRequest({ upstreamModel: 'm', outputTokens: undefined }).toString());
    expect(sent.input).toEqual([USER, item]);
  });
});

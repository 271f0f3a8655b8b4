import { describe, expect, test } from 'vitest';
import { runToEnd } from '../../lists/stages.ts';
import { anthropicMessages } from '../index.ts';

function decoded(members: Record<string, unknown>) {
  const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], ...members };
  const read = runToEnd(
    anthropicMessages.parseRequest(Buffer.from(JSON.stringify(body)), { model: '', stream: 'none' }),
  );
  if (!read.ok) throw new Error(read.error.message);
  const result = runToEnd(read.request.canonical());
  if (!result.ok) throw new Error(result.error.message);
  return { ...result.request, warnings: result.warnings };
}

const TOOL = { name: 'f', input_schema: { type: 'object', properties: {} } };

describe('tools that Anthropic defines and the client runs', () => {
  test.each<[string, string[]]>([
    ['bash_20250124', ['command', 'restart']],
    ['text_editor_20250728', ['command', 'path', 'insert_line', 'insert_text']],
    ['text_editor_20250429', ['command', 'path', 'insert_line', 'new_str']],
    ['memory_20250818', ['command', 'path', 'old_path', 'insert_text']],
  ])('are functions with the input of %s', (type, members) => {
    const { tools, warnings } = decoded({ tools: [{ type, name: 'own_name' }] });
    expect(warnings).toEqual([]);
    expect(tools).toMatchObject([{ type: 'function', name: 'own_name', parameters: { type: 'object' } }]);
    const [tool] = tools;
    const properties = tool?.type === 'function' ? tool.parameters?.['properties'] : undefined;
    expect(Object.keys(properties ?? {})).toEqual(expect.arrayContaining(members));
  });

  test('can undo only in the oldest editors', () => {
    const commands = (type: string) => JSON.stringify(decoded({ tools: [{ type, name: 'edit' }] }).tools);
    expect(commands('text_editor_20250124')).toContain('undo_edit');
    expect(commands('text_editor_20250429')).not.toContain('undo_edit');
  });

  test('are left out with a warning if only Claude can use them', () => {
    const { tools, warnings } = decoded({ tools: [TOOL, { type: 'computer_20250124', name: 'computer' }] });
    expect(tools.map(({ name }) => name)).toEqual(['f']);
    expect(warnings.map(({ path }) => path)).toEqual(['tools[1].type']);
  });
});

describe('changes of the tools within a conversation', () => {
  const change = (...content: unknown[]) => [
    { role: 'user', content: 'Hi' },
    { role: 'system', content: [{ type: 'text', text: 'Briefly.' }, ...content] },
    { role: 'user', content: 'Go on' },
  ];

  test('apply to the request, since it holds the whole conversation', () => {
    const added = { type: 'tool_addition', tool: { type: 'tool_definition', definition: { ...TOOL, name: 'g' } } };
    const removed = { type: 'tool_removal', tool: { type: 'tool_reference', name: 'f' } };
    const { tools } = decoded({ tools: [TOOL], messages: change(added, removed) });
    expect(tools.map(({ name, at }) => [name, at])).toEqual([['g', 'messages[1].content[1].tool.definition']]);
  });

  test('add nothing if they refer to a deferred tool, which is sent from the start', () => {
    const loaded = { type: 'tool_addition', tool: { type: 'tool_reference', name: 'f' } };
    const { tools } = decoded({ tools: [{ ...TOOL, defer_loading: true }], messages: change(loaded) });
    expect(tools.map(({ name }) => name)).toEqual(['f']);
  });
});

test('results of kinds that only Anthropic knows are texts', () => {
  const state = { type: 'browser_state', tabs: [{ url: 'https://a.example', active: true }] };
  const content = [{ type: 'tool_reference', tool_name: 'f' }, state];
  const { messages } = decoded({
    tools: [TOOL],
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] },
    ],
  });
  expect(messages[2]?.parts[0]).toMatchObject({
    parts: [{ text: 'The tool f can be called now.' }, { text: JSON.stringify(state) }],
  });
});

import { describe, expect, test } from 'vitest';
import { clientRequest, MINIMAL } from '../../testing/translate/clients.ts';
import type { ProtocolName } from '../canonical/protocol-name.ts';
import type { ModelParameters } from '../interface/parameters.ts';
import type { JsonRecord } from '../json/record.ts';
import { protocolOf } from '../registry.ts';
import { translateRequest } from './request.ts';

const TARGET = { upstreamModel: 'upstream-model', outputTokens: undefined, maxOutputTokens: 4_096, isStream: false };
const ASKED = 'Continue from where you left off.';
const WARNING =
  "the model does not go on with this last turn of the assistant, so a user's turn that asks to continue follows it";

/** Conversations that end with the assistant's turn, and the client's name of that turn. */
const CLIENTS: readonly (readonly [ProtocolName, string, JsonRecord])[] = [
  ['openai-chat', 'messages[1]', { messages: [turn('user', 'Colour?'), turn('assistant', 'It is')] }],
  ['openai-responses', 'input[1]', { input: [turn('user', 'Colour?'), turn('assistant', 'It is')] }],
  ['anthropic-messages', 'messages[1]', { messages: [turn('user', 'Colour?'), turn('assistant', 'It is')] }],
  [
    'gemini',
    'contents[1]',
    {
      contents: [
        { role: 'user', parts: [{ text: 'Colour?' }] },
        { role: 'model', parts: [{ text: 'It is' }] },
      ],
    },
  ],
];

function turn(role: string, content: unknown) {
  return { role, content };
}

function translated(name: ProtocolName, members: JsonRecord, upstream: ProtocolName, parameters?: ModelParameters) {
  const client = clientRequest(name, { ...MINIMAL[name], ...members });
  const target = { ...TARGET, ...(parameters && { parameters }) };
  const result = translateRequest(client, protocolOf(upstream).upstream, target);
  if (!result.ok) throw new Error(result.error.message);
  const turns = result.json['messages'] ?? result.json['input'] ?? result.json['contents'];
  return {
    turns: Array.isArray(turns) ? turns.map((one: unknown) => JSON.stringify(one)) : [],
    warnings: result.warnings.map(({ message }) => message),
  };
}

describe.each(CLIENTS)('a conversation of %s that ends with the assistant', (name, at, members) => {
  const upstreams = (['openai-chat', 'openai-responses', 'gemini'] as const).filter((upstream) => upstream !== name);

  test.each(upstreams)('ends with a request to continue for %s', (upstream) => {
    const { turns, warnings } = translated(name, members, upstream);
    expect(turns.at(-2)).toContain('It is');
    expect(turns.at(-1)).toContain(ASKED);
    expect(turns.at(-1)).toContain('user');
    expect(warnings).toEqual([`${at}: ${WARNING}`]);
  });

  test('is passed on to models of Anthropic that go on with it, and to no others', () => {
    if (name === 'anthropic-messages') return;
    const able = translated(name, members, 'anthropic-messages');
    expect(able.turns.at(-1)).toContain('It is');
    expect(able.warnings).toEqual([]);
    const unable = translated(name, members, 'anthropic-messages', { prefill: false });
    expect(unable.turns.at(-1)).toContain(ASKED);
    expect(unable.warnings).toEqual([`${at}: ${WARNING}`]);
  });
});

test('a last turn that calls tools waits for their results', () => {
  const call = { type: 'tool_use', id: 'a', name: 'f', input: {} };
  const messages = [turn('user', 'Go'), turn('assistant', [{ type: 'text', text: 'Calling' }, call])];
  const { turns } = translated(
    'anthropic-messages',
    { messages, tools: [{ name: 'f', input_schema: { type: 'object' } }] },
    'openai-chat',
  );
  expect(turns.join()).not.toContain(ASKED);
});

describe('a request that passes to Anthropic with the assistant’s turn at the end', () => {
  const THOUGHT = { type: 'thinking', thinking: 'Hm', signature: 'c2ln' };
  const enabled = { thinking: { type: 'enabled', budget_tokens: 1_024 }, max_tokens: 4_000 };
  const text = { type: 'text', text: 'It is' };

  test.each<[string, unknown, JsonRecord, ModelParameters, boolean]>([
    ['goes on', 'It is', {}, {}, false],
    ['asks a model without prefill to continue', 'It is', {}, { prefill: false }, true],
    ['asks a model that thinks to continue', 'It is', enabled, {}, true],
    ['asks a model that thinks to continue a list', [text], enabled, {}, true],
    ['asks a model that decides how much it thinks', [THOUGHT, text], { thinking: { type: 'adaptive' } }, {}, true],
    ['goes on after a thought', [THOUGHT, text], enabled, {}, false],
    ['goes on without thinking', [text], { thinking: { type: 'disabled' } }, {}, false],
    [
      'waits for results',
      [THOUGHT, { type: 'tool_use', id: 'a', name: 'f', input: {} }],
      enabled,
      { prefill: false },
      false,
    ],
  ])('%s', (_what, content, members, parameters, isAsked) => {
    const messages = [turn('user', 'Colour?'), turn('assistant', content)];
    const client = clientRequest('anthropic-messages', { ...MINIMAL['anthropic-messages'], ...members, messages });
    const dispatch = { upstreamModel: 'm', outputTokens: undefined, parameters };
    const sent: unknown = JSON.parse(client.editRequest(dispatch).toString());
    const asked = { role: 'user', content: ASKED };
    expect(sent).toMatchObject({ messages: isAsked ? [...messages, asked] : messages });
    const warnings = client.adjustmentWarnings(dispatch).map(({ message }) => message);
    expect(warnings).toEqual(isAsked ? [`messages[1]: ${WARNING}`] : []);
  });
});

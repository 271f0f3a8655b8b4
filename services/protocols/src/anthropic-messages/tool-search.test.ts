import { describe, expect, test } from 'vitest';
import type { ModelParameters } from '../interface/parameters.ts';
import type { ClientRequest, Dispatch, ResponseContext } from '../interface/protocol.ts';
import { runToEnd } from '../lists/stages.ts';
import { openaiChat } from '../openai-chat/index.ts';
import { SseParser } from '../sse/parse.ts';
import { translateRequest } from '../translate/request.ts';
import { anthropicMessages } from './index.ts';

const CONTEXT: ResponseContext = { model: 'm', created: 1, newId: () => 'a'.repeat(24), costOf: () => '0' };
const SEARCH = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };
const DEFERRED = { name: 'weather', input_schema: { type: 'object' }, defer_loading: true };
const LOADED = { name: 'weather', input_schema: { type: 'object' } };
const TOOLS = [SEARCH, DEFERRED];
const QUESTION = { role: 'user', content: 'Weather?' };

/** A turn as Anthropic writes it: the search, what it found, and the call. */
const FOUND = [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_regex', input: { pattern: 'weather' } },
  {
    type: 'tool_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: {
      type: 'tool_search_tool_search_result',
      tool_references: [{ type: 'tool_reference', tool_name: 'weather' }],
    },
  },
  { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} },
];
const NEXT_TURN = [
  QUESTION,
  { role: 'assistant', content: FOUND },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Warm.' }] },
];

function read(members: object): ClientRequest {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', max_tokens: 9, messages: [QUESTION], ...members }));
  const result = runToEnd(anthropicMessages.parseRequest(bytes, { model: '', stream: 'none' }));
  if (!result.ok) throw new Error(result.error.message);
  return result.request;
}

const dispatchTo = (parameters: ModelParameters, more: Partial<Dispatch> = {}): Dispatch => ({
  upstreamModel: 'm',
  outputTokens: undefined,
  hostedUses: { tool_search: 5 },
  parameters,
  ...more,
});

function sentTo(parameters: ModelParameters, members: object, more?: Partial<Dispatch>) {
  return JSON.parse(read(members).editRequest(dispatchTo(parameters, more)).toString());
}

describe('a search for tools', () => {
  test.each([
    SEARCH,
    { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
    { type: 'tool_search_tool_regex', name: 'tool_search_tool_regex' },
  ])('passes with the tools that it finds: $type', (search) => {
    const tools = [search, DEFERRED];
    expect(sentTo({}, { tools })).toMatchObject({ tools });
    expect(sentTo({}, { tools })['tools'][0]).not.toHaveProperty('max_uses');
    expect(read({ tools }).hostedTools?.policy({ tool_search: 5 })).toMatchObject({ errors: [], warnings: [] });
  });

  test('comes back in the next turn as it was', () => {
    expect(sentTo({}, { tools: TOOLS, messages: NEXT_TURN })).toMatchObject({ messages: NEXT_TURN });
  });

  test('is left out with the deferral for a model without it, or where its beta is left out', () => {
    const leftOut = { leftOut: ['tools[].defer_loading'] };
    for (const sent of [sentTo({ toolSearch: false }, { tools: TOOLS }), sentTo({}, { tools: TOOLS }, leftOut)]) {
      expect(sent['tools']).toEqual([LOADED]);
    }
    expect(read({ tools: TOOLS }).policy.warnings.map(({ message }) => message)).toEqual([
      'tools[0]: left out, since tool search is not available for this model, which gets all tools at once',
    ]);
  });

  test('is left out for other protocols, with what it found in earlier turns', () => {
    const request = read({ tools: TOOLS, messages: NEXT_TURN });
    const target = { ...dispatchTo({}), isStream: false, maxOutputTokens: 99 };
    const translated = translateRequest(request, openaiChat.upstream, target);
    if (!translated.ok) throw new Error(translated.error.message);
    expect(translated.json).toMatchObject({
      tools: [{ type: 'function', function: { name: 'weather' } }],
      messages: [
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ function: { name: 'weather' } }] },
        { role: 'tool', content: 'Warm.' },
      ],
    });
    expect(JSON.stringify(translated.json)).not.toMatch(/tool_search|defer_loading/);
  });

  test('adds the tools that were found to the bound of the prompt again', () => {
    const facts = {
      tokensPerRequest: 0,
      tokensPerMessage: 0,
      maxTokensPerImage: 0,
      maxOutputTokens: 9,
      contextWindow: 1e6,
    };
    const boundOf = (name: string) => {
      const messages = JSON.parse(JSON.stringify(NEXT_TURN).replace('"tool_name":"weather"', `"tool_name":"${name}"`));
      return read({ tools: TOOLS, messages }).bound(facts).inputTokens;
    };
    expect(boundOf('weather') - boundOf('unknown')).toBeGreaterThan(JSON.stringify(DEFERRED).length);
  });
});

test('each search of a stream bills the prompt again if the stream breaks', () => {
  const blocks = FOUND.map((block, index) => ({ type: 'content_block_start', index, content_block: block }));
  const start = { type: 'message_start', message: { model: 'm', usage: { input_tokens: 9, output_tokens: 1 } } };
  const text = [start, ...blocks].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  const transformer = read({ stream: true }).streamTransformer(CONTEXT);
  const steps = new SseParser({ maxEventBytes: 1e6 })
    .push(Buffer.from(text))
    .events.map((one) => transformer.push(one));
  expect(steps.map((step) => ('repeatedPrompts' in step ? step.repeatedPrompts : undefined))).toEqual([
    undefined,
    undefined,
    1,
    undefined,
  ]);
});

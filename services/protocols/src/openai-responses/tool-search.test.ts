import { describe, expect, test } from 'vitest';
import { anthropicMessages } from '../anthropic-messages/index.ts';
import type { ModelParameters } from '../interface/parameters.ts';
import type { ClientRequest, Dispatch, ResponseContext } from '../interface/protocol.ts';
import { runToEnd } from '../lists/stages.ts';
import { translateRequest } from '../translate/request.ts';
import { openaiCompaction } from './compact-request.ts';
import { openaiResponses } from './index.ts';

const CONTEXT: ResponseContext = { model: 'm', created: 1, newId: () => 'a'.repeat(24), costOf: () => '0' };
const SEARCH = { type: 'tool_search' };
const WEATHER = { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } };
const DEFERRED = { ...WEATHER, defer_loading: true };
const MAIL = { type: 'namespace', name: 'mail', description: 'd', tools: [{ ...DEFERRED, name: 'send' }] };
const TOOLS = [DEFERRED, MAIL, SEARCH];
const LOADED = [WEATHER, { ...MAIL, tools: [{ ...WEATHER, name: 'send' }] }];

/** A turn as OpenAI writes it: the search, what it found, and a call in a namespace of the function's own name. */
const FOUND = [
  { type: 'tool_search_call', id: 'tsc_1', call_id: null, execution: 'server', arguments: { paths: ['weather'] } },
  { type: 'tool_search_output', id: 'tso_1', call_id: null, execution: 'server', tools: [DEFERRED] },
];
const CALL = { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' };
const SCOPED = { ...CALL, namespace: 'weather' };
const RESULT = { type: 'function_call_output', call_id: 'call_1', output: 'Warm.' };
const NEXT_TURN = [{ role: 'user', content: 'Weather?' }, ...FOUND, SCOPED, RESULT];

function read(members: object, protocol = openaiResponses): ClientRequest {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', input: 'hi', ...members }));
  const result = runToEnd(protocol.parseRequest(bytes, { model: '', stream: 'none' }));
  if (!result.ok) throw new Error(result.error.message);
  return result.request;
}

const dispatchTo = (parameters: ModelParameters): Dispatch => ({
  upstreamModel: 'm',
  outputTokens: undefined,
  hostedUses: { tool_search: 5 },
  parameters,
});

function sentTo(parameters: ModelParameters, members: object): Record<string, unknown> {
  return JSON.parse(read(members).editRequest(dispatchTo(parameters)).toString());
}

describe('a search for tools', () => {
  test.each([SEARCH, { ...SEARCH, execution: 'server' }])('passes with the tools that it finds: %j', (search) => {
    const tools = [DEFERRED, MAIL, search];
    expect(sentTo({}, { tools })).toMatchObject({ tools });
    expect(sentTo({}, { tools })).not.toHaveProperty('max_tool_calls');
    expect(read({ tools }).hostedTools?.policy({ tool_search: 5 })).toMatchObject({ errors: [], warnings: [] });
  });

  test('comes back in the next turn as it was', () => {
    expect(sentTo({}, { tools: TOOLS, input: NEXT_TURN })).toMatchObject({ input: NEXT_TURN });
  });

  test('is left out with the deferral for a model without it, wherever tools are deferred', () => {
    const input = [
      { type: 'additional_tools', role: 'developer', tools: [MAIL, DEFERRED] },
      { role: 'user', content: 'hi' },
    ];
    const sent = sentTo({ toolSearch: false }, { tools: TOOLS, input });
    expect(sent['tools']).toEqual(LOADED);
    expect(sent['input']).toMatchObject([{ tools: LOADED.toReversed() }, input[1]]);
    expect(JSON.stringify(sent)).not.toContain('defer_loading');
    expect(read({ tools: TOOLS }).policy.warnings.map(({ message }) => message)).toEqual([
      'tools[2]: left out, since tool search is not available for this model, which gets all tools at once',
    ]);
  });

  test('that a model without it made in earlier turns is left out, and calls are those of plain functions', () => {
    const sent = sentTo({ toolSearch: false }, { tools: TOOLS, input: NEXT_TURN });
    expect(sent['input']).toEqual([NEXT_TURN[0], CALL, RESULT]);
  });

  test('of the client passes, and keeps the deferral, for all models', () => {
    const tools = [DEFERRED, { ...SEARCH, execution: 'client' }];
    expect(sentTo({ toolSearch: false }, { tools })).toMatchObject({ tools });
    expect(read({ tools }).hostedTools).toBeUndefined();
    expect(read({ tools }).policy.warnings).toEqual([]);
  });

  test('is left out for other protocols, with what it found in earlier turns', () => {
    const request = read({ tools: TOOLS, input: NEXT_TURN });
    const target = { ...dispatchTo({}), isStream: false, maxOutputTokens: 99 };
    const translated = translateRequest(request, anthropicMessages.upstream, target);
    if (!translated.ok) throw new Error(translated.error.message);
    expect(translated.json).toMatchObject({
      tools: [{ name: 'weather' }, { name: 'mail__send' }],
      messages: [
        { role: 'user' },
        { role: 'assistant', content: [{ type: 'tool_use', name: 'weather' }] },
        { role: 'user' },
      ],
    });
    expect(translated.warnings).toEqual([]);
    expect(JSON.stringify(translated.json)).not.toMatch(/tool_search|defer_loading/);
  });

  test('is part of a conversation that is compacted', () => {
    const compaction = read({ input: NEXT_TURN }, openaiCompaction);
    expect(compaction.policy.warnings).toEqual([]);
    expect(JSON.parse(compaction.editRequest(dispatchTo({})).toString())).toMatchObject({ input: NEXT_TURN });
  });
});

test('a response counts each search, after which the model reads the prompt again', () => {
  const usage = { input_tokens: 640, output_tokens: 46, total_tokens: 686 };
  const body = { id: 'resp_1', object: 'response', model: 'm', status: 'completed', output: [...FOUND, SCOPED], usage };
  const result = read({})
    .responseTransformer(CONTEXT)
    .transform(Buffer.from(JSON.stringify(body)));
  expect(result).toMatchObject({ usage: { input: 640, search: 0 }, searches: 0, repeatedPrompts: 1 });
});

import { describe, expect, test } from 'vitest';
import { toStreamEvents } from '../../testing/canonical/to-stream-events.ts';
import { DECLARING, SEARCHED, SEARCHING } from '../../testing/openai-responses/codex.ts';
import { clientRequest, eventsOf, finalUsage, responseContext } from '../../testing/translate/clients.ts';
import type { ToolCallPart } from '../canonical/part.ts';
import type { ProtocolName } from '../canonical/protocol-name.ts';
import type { CanonicalResponse } from '../canonical/response.ts';
import { isRecord, type JsonRecord, recordOr } from '../json/record.ts';
import { protocolOf } from '../registry.ts';
import { type Translation, translateRequest } from './request.ts';

const TARGET = { upstreamModel: 'upstream-model', outputTokens: undefined, maxOutputTokens: 4_096 };
const FOREIGN = ['openai-chat', 'anthropic-messages', 'gemini'] as const satisfies readonly ProtocolName[];

function translated(body: JsonRecord, upstream: ProtocolName): Translation {
  const isStream = body['stream'] === true;
  const result = translateRequest(clientRequest('openai-responses', body), protocolOf(upstream).upstream, {
    ...TARGET,
    isStream,
  });
  if (!result.ok) throw new Error(result.error.message);
  return result;
}

/** Names of the declared tools, in any protocol. */
function toolNames({ json }: Translation): unknown[] {
  const tools = Array.isArray(json['tools']) ? json['tools'].map(recordOr) : [];
  const declared = tools.flatMap((tool) => {
    const functions: unknown = tool['functionDeclarations'];
    return Array.isArray(functions) ? functions.map(recordOr) : [tool];
  });
  return declared.map((tool) => tool['name'] ?? recordOr(tool['function'])['name']);
}

function response(calls: readonly Omit<ToolCallPart, 'type' | 'kind'>[]): CanonicalResponse {
  return {
    id: 'r',
    created: 1,
    usage: undefined,
    choices: [
      {
        parts: calls.map((call) => ({ type: 'tool-call', kind: 'function', ...call })),
        finish: { reason: 'tool-calls', raw: 'tool_use' },
      },
    ],
  };
}

/** The items that Codex gets for calls that a model of another provider makes, buffered and streamed. */
function itemsFor(body: JsonRecord, upstream: ProtocolName, calls: readonly Omit<ToolCallPart, 'type' | 'kind'>[]) {
  const said = response(calls);
  const provider = (isStream: boolean) =>
    clientRequest(
      upstream,
      { ...MINIMAL_OF[upstream], ...(isStream && upstream !== 'gemini' && { stream: true }) },
      isStream,
    );
  const whole = translated({ ...body, stream: false }, upstream)
    .responseTransformer(responseContext())
    .transform(provider(false).encodeResponse(said, finalUsage(undefined), responseContext()));
  if (whole.kind !== 'response') throw new Error(whole.kind);
  const buffered: unknown = JSON.parse(whole.render(finalUsage(undefined)).toString()).output;

  const encoder = provider(true).streamEncoder(responseContext());
  const sent = [encoder.push(toStreamEvents(said)), encoder.close(finalUsage(undefined))].flatMap(
    (bytes) => bytes ?? [],
  );
  const transformer = translated(body, upstream).streamTransformer(responseContext());
  const pieces: Buffer[] = [];
  for (const event of eventsOf(Buffer.concat(sent))) {
    const step = transformer.push(event);
    if (step.kind === 'error' || step.kind === 'malformed') throw new Error(step.kind);
    if (step.bytes !== undefined) pieces.push(step.bytes);
    if (step.kind === 'end') break;
  }
  const eof = transformer.eof();
  if (eof.kind === 'end' && eof.bytes !== undefined) pieces.push(eof.bytes);
  pieces.push(transformer.close(finalUsage(undefined)));
  const events = eventsOf(Buffer.concat(pieces)).map((event) => recordOr(JSON.parse(event.data?.toString() ?? '{}')));
  const done = events.filter((event) => event['type'] === 'response.output_item.done').map((event) => event['item']);
  return { buffered: withoutIds(buffered), streamed: withoutIds(done), events };
}

const MINIMAL_OF = {
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
  'openai-responses': { model: 'm', input: 'Hi' },
  'anthropic-messages': { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
} as const;

function withoutIds(items: unknown): unknown[] {
  if (!Array.isArray(items)) throw new Error('expected items');
  return items.map((item) => {
    if (!isRecord(item)) return item;
    const { id, status, ...rest } = item;
    return rest;
  });
}

describe.each(FOREIGN)('Codex and a model of %s', (upstream) => {
  test('searches its tools with a function', () => {
    const sent = translated(SEARCHING, upstream);
    expect(toolNames(sent)).toEqual(['exec_command', 'apply_patch', 'tool_search']);
    expect(JSON.stringify(sent.json)).toContain('Searches over deferred tools.');
    const { buffered, streamed, events } = itemsFor(SEARCHING, upstream, [
      { id: 'call_1', name: 'tool_search', input: '{"query":"weather","limit":3}' },
      { id: 'call_2', name: 'apply_patch', input: '{"input":"*** Begin Patch"}' },
    ]);
    const items = [
      { type: 'tool_search_call', call_id: 'call_1', execution: 'client', arguments: { query: 'weather', limit: 3 } },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'apply_patch', input: '*** Begin Patch' },
    ];
    expect(buffered).toEqual(items);
    expect(streamed).toEqual(items);
    expect(events.map((event) => event['type'])).not.toContain('response.function_call_arguments.delta');
  });

  test('calls what a search has found under its namespace', () => {
    const sent = translated(SEARCHED, upstream);
    expect(toolNames(sent)).toEqual(['exec_command', 'apply_patch', 'tool_search', 'mcp__weather__read_weather']);
    const text = JSON.stringify(sent.json);
    expect(text).toContain('These tools can be called now: mcp__weather__read_weather');
    expect(text).toContain('Sunny');
    expect(sent.warnings.map(({ path }) => path)).not.toContain('input[3].tools[0].tools[0].defer_loading');
    const { buffered, streamed } = itemsFor(SEARCHED, upstream, [
      { id: 'call_1', name: 'mcp__weather__read_weather', input: '{"city":"Rome"}' },
    ]);
    const items = [
      {
        type: 'function_call',
        call_id: 'call_1',
        name: 'read_weather',
        namespace: 'mcp__weather',
        arguments: '{"city":"Rome"}',
      },
    ];
    expect(buffered).toEqual(items);
    expect(streamed).toEqual(items);
  });

  test('calls tools declared in the input under their namespaces, one at a time', () => {
    const sent = translated(DECLARING, upstream);
    expect(toolNames(sent)).toEqual(['functions__exec', 'functions__wait', 'collaboration__list_agents']);
    const { buffered, streamed } = itemsFor(DECLARING, upstream, [
      { id: 'call_1', name: 'functions__exec', input: '{"input":"text(1)"}' },
      { id: 'call_2', name: 'collaboration__list_agents', input: '{}' },
    ]);
    const items = [
      { type: 'custom_tool_call', call_id: 'call_1', name: 'exec', namespace: 'functions', input: 'text(1)' },
    ];
    expect(buffered).toEqual(items);
    expect(streamed).toEqual(items);
  });
});

test('a provider of responses gets what Codex sent, without the tools that it would run', () => {
  const dispatch = { upstreamModel: 'neutral-model', outputTokens: undefined };
  const sent = clientRequest('openai-responses', DECLARING).editRequest(dispatch);
  const [declared, ...rest] = JSON.parse(sent.toString()).input;
  const [given, ...others] = Array.isArray(DECLARING['input']) ? DECLARING['input'] : [];
  expect(rest).toEqual(others);
  expect(declared).toEqual({ ...given, tools: given.tools.slice(0, 2) });
  const searched = clientRequest('openai-responses', SEARCHED);
  expect(searched.policy.errors).toEqual([]);
  expect(JSON.parse(searched.editRequest(dispatch).toString()).input).toEqual(SEARCHED['input']);
});

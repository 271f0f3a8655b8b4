import { describe, expect, test } from 'vitest';
import type { StreamEvent } from '../../canonical/stream.ts';
import { usageOf } from '../../canonical/usage.ts';
import type { ClientRequest, FinalUsage, ResponseContext } from '../../interface/protocol.ts';
import { runToEnd } from '../../lists/stages.ts';
import { SseParser } from '../../sse/parse.ts';
import { openaiResponses } from '../index.ts';

const FINAL: FinalUsage = { usage: usageOf({ input: 3, output: 2, reasoning: 1 }), estimated: false, cost: '0.000125' };

function context(): ResponseContext {
  let ids = 0;
  return { model: 'alias', created: 17, now: () => 19, newId: () => String(ids++), costOf: () => '0' };
}

function client(body: Record<string, unknown> = {}): ClientRequest {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', input: 'hi', stream: true, ...body }));
  const result = runToEnd(openaiResponses.parseRequest(bytes, { model: '', stream: 'none' }));
  if (!result.ok) throw new Error(result.error.message);
  return result.request;
}

function encode(events: readonly StreamEvent[], request = client()): Record<string, unknown>[] {
  const encoder = request.streamEncoder(context());
  const bytes = Buffer.concat([...events.flatMap((event) => encoder.push([event]) ?? []), encoder.close(FINAL)]);
  return new SseParser({ maxEventBytes: 1_000_000 }).push(bytes).events.map((event) => {
    const data: Record<string, unknown> = JSON.parse(event.data?.toString() ?? '');
    expect(data['type']).toBe(event.type);
    return data;
  });
}

const START: StreamEvent = { type: 'start', id: 'x', created: 1 };
const STOP: StreamEvent = { type: 'finish', choice: 0, finish: { reason: 'stop', raw: 'stop' } };

function part(
  number: number,
  head: Extract<StreamEvent, { type: 'part-start' }>['head'],
  ...texts: string[]
): StreamEvent[] {
  return [
    { type: 'part-start', part: number, choice: 0, head },
    ...texts.map((text): StreamEvent => ({ type: 'part-delta', part: number, text })),
    { type: 'part-end', part: number },
  ];
}

/** The events between those that hold the response, without their numbers. */
function inner(events: readonly Record<string, unknown>[]): unknown[] {
  return events.slice(2, -1).map(({ sequence_number: _, ...rest }) => rest);
}

describe('ResponsesStreamEncoder', () => {
  test('encodes a text as clients expect it', () => {
    const events = encode([START, ...part(0, { type: 'text' }, 'Hi', '!'), STOP]);
    expect(events.map((event) => event['sequence_number'])).toEqual([...events.keys()]);
    const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
    const message = { id: 'msg_1', type: 'message', role: 'assistant' };
    const done = { type: 'output_text', text: 'Hi!', annotations: [], logprobs: [] };
    expect(inner(events)).toEqual([
      { type: 'response.output_item.added', output_index: 0, item: { ...message, status: 'in_progress', content: [] } },
      { type: 'response.content_part.added', ...place, part: { ...done, text: '' } },
      { type: 'response.output_text.delta', ...place, delta: 'Hi', logprobs: [] },
      { type: 'response.output_text.delta', ...place, delta: '!', logprobs: [] },
      { type: 'response.output_text.done', ...place, text: 'Hi!', logprobs: [] },
      { type: 'response.content_part.done', ...place, part: done },
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: { ...message, status: 'completed', content: [done] },
      },
    ]);
    expect(events.slice(0, 2)).toMatchObject([
      { type: 'response.created', response: { id: 'resp_0', status: 'in_progress', output: [], usage: null } },
      { type: 'response.in_progress', response: { id: 'resp_0', status: 'in_progress', completed_at: null } },
    ]);
    expect(events.at(-1)).toMatchObject({
      type: 'response.completed',
      response: {
        id: 'resp_0',
        status: 'completed',
        created_at: 17,
        completed_at: 19,
        output: [{ ...message, content: [done] }],
        usage: { input_tokens: 3, output_tokens: 3, total_tokens: 6, cost: 0.000125 },
      },
    });
  });

  test('encodes reasoning and calls as items of their own', () => {
    const wrapped: StreamEvent[] = part(0, { type: 'reasoning', form: 'summary' }, 'hm').slice(0, 2);
    const events = encode([
      START,
      ...wrapped,
      { type: 'part-end', part: 0, opaque: { origin: 'gemini', data: 'abc' } },
      ...part(1, { type: 'reasoning', form: 'full' }, 'so'),
      ...part(2, { type: 'tool-call', kind: 'function', id: 'c1', name: 'f' }, '{', '}'),
      ...part(3, { type: 'tool-call', kind: 'custom', id: 'c2', name: 'g' }, 'raw'),
      STOP,
    ]);
    const summary = { item_id: 'rs_1', output_index: 0, summary_index: 0 };
    const thought = { item_id: 'rs_2', output_index: 1, content_index: 0 };
    expect(inner(events)).toMatchObject([
      { type: 'response.output_item.added', output_index: 0, item: { id: 'rs_1', type: 'reasoning', summary: [] } },
      { type: 'response.reasoning_summary_part.added', ...summary, part: { type: 'summary_text', text: '' } },
      { type: 'response.reasoning_summary_text.delta', ...summary, delta: 'hm' },
      { type: 'response.reasoning_summary_text.done', ...summary, text: 'hm' },
      { type: 'response.reasoning_summary_part.done', ...summary, part: { type: 'summary_text', text: 'hm' } },
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: { id: 'rs_1', summary: [{ text: 'hm' }], encrypted_content: 'tg1.gemini.YWJj' },
      },
      { type: 'response.output_item.added', output_index: 1, item: { id: 'rs_2' } },
      { type: 'response.content_part.added', ...thought, part: { type: 'reasoning_text', text: '' } },
      { type: 'response.reasoning_text.delta', ...thought, delta: 'so' },
      { type: 'response.reasoning_text.done', ...thought, text: 'so' },
      { type: 'response.content_part.done', ...thought, part: { type: 'reasoning_text', text: 'so' } },
      {
        type: 'response.output_item.done',
        output_index: 1,
        item: { content: [{ type: 'reasoning_text', text: 'so' }] },
      },
      {
        type: 'response.output_item.added',
        output_index: 2,
        item: { id: 'fc_3', type: 'function_call', call_id: 'c1', name: 'f', arguments: '', status: 'in_progress' },
      },
      { type: 'response.function_call_arguments.delta', item_id: 'fc_3', output_index: 2, delta: '{' },
      { type: 'response.function_call_arguments.delta', item_id: 'fc_3', output_index: 2, delta: '}' },
      { type: 'response.function_call_arguments.done', item_id: 'fc_3', output_index: 2, arguments: '{}' },
      {
        type: 'response.output_item.done',
        output_index: 2,
        item: { id: 'fc_3', arguments: '{}', status: 'completed' },
      },
      { type: 'response.output_item.added', output_index: 3, item: { id: 'ctc_4', type: 'custom_tool_call' } },
      { type: 'response.custom_tool_call_input.delta', item_id: 'ctc_4', output_index: 3, delta: 'raw' },
      { type: 'response.custom_tool_call_input.done', item_id: 'ctc_4', output_index: 3, input: 'raw' },
      { type: 'response.output_item.done', output_index: 3, item: { call_id: 'c2', name: 'g', input: 'raw' } },
    ]);
  });

  test('encodes refusals, citations and log probabilities', () => {
    const tokens = [{ token: 'Hi', logprob: -1, top: [] }];
    const logprob = { token: 'Hi', logprob: -1, bytes: [72, 105], top_logprobs: [] };
    const [open, delta, close] = part(0, { type: 'text' }, 'Hi');
    if (open === undefined || delta === undefined || close === undefined) throw new Error('no part');
    const events = encode([
      START,
      open,
      { type: 'logprobs', choice: 0, tokens },
      delta,
      { type: 'part-citation', part: 0, citation: { url: 'https://a', title: 'A' } },
      { type: 'part-citation', part: 0, citation: { document: { index: 0, unit: 'page', start: 1, end: 2 } } },
      close,
      ...part(1, { type: 'refusal' }, 'no'),
      { type: 'logprobs', choice: 0, tokens },
      STOP,
    ]);
    const annotation = { type: 'url_citation', url: 'https://a', title: 'A', start_index: 0, end_index: 0 };
    expect(events).toContainEqual(expect.objectContaining({ type: 'response.output_text.delta', logprobs: [logprob] }));
    expect(events).toContainEqual(expect.objectContaining({ annotation_index: 0, annotation, output_index: 0 }));
    expect(events.filter(({ type }) => type === 'response.output_text.annotation.added')).toHaveLength(1);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'response.refusal.done', content_index: 1, refusal: 'no' }),
    );
    const text = { type: 'output_text', text: 'Hi', annotations: [annotation], logprobs: [logprob, logprob] };
    expect(events.at(-1)).toMatchObject({
      response: { output: [{ content: [text, { type: 'refusal', refusal: 'no' }] }] },
    });
  });

  test('reports a truncated response', () => {
    const cut: StreamEvent = { type: 'finish', choice: 0, finish: { reason: 'length', raw: 'length' } };
    expect(encode([START, ...part(0, { type: 'text' }, 'Hi'), cut]).at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: {
        status: 'incomplete',
        completed_at: null,
        incomplete_details: { reason: 'max_output_tokens' },
        output: [{ status: 'incomplete' }],
      },
    });
  });

  test('encodes all events even of an empty response', () => {
    expect(encode([]).map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.completed',
    ]);
  });

  test('calls tools of a namespace by their own names', () => {
    const tools = [{ type: 'namespace', name: 'n', description: 'd', tools: [{ type: 'function', name: 'f' }] }];
    const call = part(0, { type: 'tool-call', kind: 'function', id: 'c', name: 'n__f' }, '{}');
    expect(encode([START, ...call, STOP], client({ tools })).at(-1)).toMatchObject({
      response: { output: [{ type: 'function_call', name: 'f', namespace: 'n' }] },
    });
  });

  test('shows complete reasoning as the summary that was asked for, and keeps it for the next turn', () => {
    const events = encode(
      [START, ...part(0, { type: 'reasoning', form: 'full' }, 'so'), STOP],
      client({ reasoning: { summary: 'auto' } }),
    );
    const summary = { item_id: 'rs_1', output_index: 0, summary_index: 0 };
    expect(inner(events)).toMatchObject([
      { type: 'response.output_item.added', item: { id: 'rs_1', summary: [] } },
      { type: 'response.reasoning_summary_part.added', ...summary },
      { type: 'response.reasoning_summary_text.delta', ...summary, delta: 'so' },
      { type: 'response.reasoning_summary_text.done', ...summary, text: 'so' },
      { type: 'response.reasoning_summary_part.done', ...summary },
      {
        type: 'response.output_item.done',
        item: { summary: [{ type: 'summary_text', text: 'so' }], encrypted_content: expect.stringMatching(/^tg1\./) },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain('reasoning_text');
  });

  test('continues the sequence in an error', () => {
    const request = client();
    const encoder = request.streamEncoder(context());
    encoder.push([START, { type: 'part-start', part: 0, choice: 0, head: { type: 'text' } }]);
    const error = { message: 'm', type: 'rate_limit_exceeded', code: 429, details: null };
    const { events } = new SseParser({ maxEventBytes: 10_000 }).push(request.encodeStreamError(error, 'trace'));
    const event = events.at(-1);
    expect(JSON.parse(event?.data?.toString() ?? '')).toMatchObject({
      type: 'response.failed',
      sequence_number: 5,
      response: { id: 'resp_0', status: 'failed', error: { code: 'rate_limit_exceeded', message: 'm' } },
      trace_id: 'trace',
    });
  });
});

describe('encodeResponse', () => {
  /** Of the Open Responses specification and of OpenAI's SDK. */
  const FIELDS = [
    'id',
    'object',
    'created_at',
    'completed_at',
    'status',
    'background',
    'error',
    'incomplete_details',
    'instructions',
    'max_output_tokens',
    'max_tool_calls',
    'metadata',
    'model',
    'output',
    'parallel_tool_calls',
    'previous_response_id',
    'prompt_cache_key',
    'reasoning',
    'safety_identifier',
    'service_tier',
    'store',
    'temperature',
    'text',
    'tool_choice',
    'tools',
    'top_logprobs',
    'top_p',
    'presence_penalty',
    'frequency_penalty',
    'truncation',
    'usage',
    'user',
    'access_programs',
  ];

  test('has every field, and repeats the request', () => {
    const asked = {
      instructions: 'Be brief.',
      temperature: 0.5,
      max_output_tokens: 9,
      metadata: { a: 'b' },
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_object' } },
      tools: [{ type: 'web_search' }, { type: 'function', name: 'f', parameters: {} }],
    };
    const answer = {
      id: 'x',
      created: 1,
      choices: [{ parts: [], finish: { reason: 'stop', raw: '' } as const }],
      usage: undefined,
    };
    const response = JSON.parse(client(asked).encodeResponse(answer, FINAL, context()).toString());
    expect(FIELDS.filter((field) => !Object.hasOwn(response, field))).toEqual([]);
    expect(response).toMatchObject({
      id: 'resp_0',
      object: 'response',
      model: 'alias',
      status: 'completed',
      store: false,
      instructions: 'Be brief.',
      temperature: 0.5,
      max_output_tokens: 9,
      metadata: { a: 'b' },
      reasoning: { effort: 'low', summary: null },
      text: { format: { type: 'json_object' } },
      tools: [{ type: 'function', name: 'f', description: null, parameters: {}, strict: null }],
      usage: { cost: 0.000125 },
    });
  });
});

import { describe, expect, test } from 'vitest';
import type { Effort } from '../canonical/request.ts';
import { usageOf } from '../canonical/usage.ts';
import type { ClientRequest, FinalUsage, ResponseContext, StreamStep } from '../interface/protocol.ts';
import type { JsonRecord } from '../json/record.ts';
import { runToEnd } from '../lists/stages.ts';
import { SseParser } from '../sse/parse.ts';
import { openaiResponses } from './index.ts';

const CONTEXT: ResponseContext = {
  model: 'alias',
  created: 1_700_000_000,
  newId: () => 'a'.repeat(24),
  costOf: () => '0.5',
};
const FINAL: FinalUsage = { usage: usageOf({ input: 5, output: 2 }), estimated: false, cost: '0.25' };
const ERROR = { message: 'gone', type: 'internal_error', code: 502, details: null };

function read(body: unknown): ClientRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const result = runToEnd(openaiResponses.parseRequest(Buffer.from(text), { model: '', stream: 'none' }));
  if (!result.ok) throw new Error(result.error.message);
  return result.request;
}

function forward(body: unknown, upstreamModel = 'm', outputTokens?: number, efforts?: readonly Effort[]): unknown {
  const parameters = efforts === undefined ? {} : { efforts };
  return JSON.parse(read(body).editRequest({ upstreamModel, outputTokens, parameters }).toString());
}

function sse(...events: readonly (JsonRecord & { readonly type: string })[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function push(request: ClientRequest, text: string) {
  const transformer = request.streamTransformer(CONTEXT);
  const parser = new SseParser({ maxEventBytes: 1_000_000 });
  const steps: StreamStep[] = parser.push(Buffer.from(text)).events.map((event) => transformer.push(event));
  const bytes = steps.map((step) => ('bytes' in step ? (step.bytes?.toString() ?? '') : '')).join('');
  return { transformer, steps, bytes };
}

const RESPONSE = { id: 'resp_1', object: 'response', model: 'gpt-x-2026', status: 'in_progress', output: [] };
const USAGE = { input_tokens: 5, output_tokens: 2, total_tokens: 7 };
const CREATED = { type: 'response.created', sequence_number: 0, response: RESPONSE };
const DELTA = { type: 'response.output_text.delta', sequence_number: 1, item_id: 'msg_1', delta: 'Hi' };
const COMPLETED = {
  type: 'response.completed',
  sequence_number: 2,
  response: { ...RESPONSE, status: 'completed', usage: USAGE },
};

describe('what a provider does not take', () => {
  const UNSUPPORTED = ['presence_penalty', 'reasoning.effort', 'tools[].external_web_access', 'top_logprobs'];
  const dispatch = { upstreamModel: 'm', outputTokens: undefined, parameters: { unsupported: UNSUPPORTED } };
  const search = { type: 'web_search', external_web_access: true };

  test('is left out of a request, with a warning', () => {
    const tool = { type: 'function', name: 'f', parameters: {}, strict: false, external_web_access: false };
    const reasoning = { effort: 'low', summary: 'auto' };
    const request = read({ model: 'm', input: 'hi', presence_penalty: 0.5, reasoning, tools: [tool], store: false });
    const { external_web_access: _, ...kept } = tool;
    expect(JSON.parse(request.editRequest(dispatch).toString())).toEqual({
      model: 'm',
      input: 'hi',
      reasoning: { summary: 'auto' },
      tools: [kept],
      store: false,
      include: ['reasoning.encrypted_content'],
    });
    expect(request.adjustmentWarnings(dispatch).map(({ path }) => path)).toEqual([
      'presence_penalty',
      'reasoning.effort',
      'tools[].external_web_access',
    ]);
    expect(request.rejection?.(dispatch)).toBeUndefined();
    expect(read({ model: 'm', input: 'hi', tools: [search] }).rejection?.(dispatch)).toBeUndefined();
  });

  test('refuses a request whose response would be another without it', () => {
    expect(read({ model: 'm', input: 'hi', top_logprobs: 3 }).rejection?.(dispatch)?.path).toBe('top_logprobs');
    expect(read({ model: 'm', input: 'hi', top_logprobs: 0 }).rejection?.(dispatch)).toBeUndefined();
  });

  test('is the null content of reasoning, of which all other bytes stay', () => {
    const signed = '{"type":"reasoning", "content":null,"summary":[], "encrypted_content":"abc"}';
    const message = '{"role":"user","content":"hi"}';
    const request = read(`{"model":"m","store":false,"input":[${signed},${message}],"include":[]}`);
    const sent = (nullContent?: boolean) =>
      request
        .editRequest({
          ...dispatch,
          parameters: { efforts: [], ...(nullContent === undefined ? {} : { nullContent }) },
        })
        .toString();
    expect(sent()).toContain(signed);
    expect(sent(false)).toContain(`[{"type":"reasoning","summary":[], "encrypted_content":"abc"},${message}]`);
  });
});

describe('editRequest', () => {
  test('stores nothing, and changes nothing else of a model that does not reason', () => {
    const body = '{ "model":"gpt-4o", "input":"hi", "temperature":1.0, "x_unknown":{"a":[1.50]} }';
    const forwarded = read(body).editRequest({ upstreamModel: 'gpt-4o', outputTokens: undefined }).toString();
    expect(forwarded).toBe(
      '{ "model":"gpt-4o", "input":"hi", "temperature":1.0, "x_unknown":{"a":[1.50]},"store":false }',
    );
  });

  test('sets model, output limit and encrypted reasoning', () => {
    expect(
      forward({ model: 'a', input: 'hi', include: ['x'], max_output_tokens: 900 }, 'gpt-5.4', 100, ['low']),
    ).toEqual({
      model: 'gpt-5.4',
      input: 'hi',
      include: ['x', 'reasoning.encrypted_content'],
      max_output_tokens: 100,
      store: false,
    });
    expect(forward({ model: 'a', input: 'hi', reasoning: { effort: 'low' } }, 'deployment-7')).toMatchObject({
      include: ['reasoning.encrypted_content'],
    });
    const chatting = { model: 'a', input: 'hi', store: false, include: ['reasoning.encrypted_content'] };
    expect(forward(chatting, 'gpt-5-chat-latest', undefined, [])).toEqual({
      model: 'gpt-5-chat-latest',
      input: 'hi',
      store: false,
      include: [],
    });
  });

  test('drops reasoning that the provider cannot read, and keeps its own', () => {
    const own = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' };
    const plain = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 't' }] };
    const foreign = { ...own, encrypted_content: 'tg1.gemini.AAAA' };
    const bare = { type: 'reasoning', id: 'rs_2', summary: [{ type: 'summary_text', text: 's' }] };
    const user = { role: 'user', content: 'hi' };
    expect(forward({ model: 'm', input: [user, own, foreign, plain, bare] })).toMatchObject({
      input: [user, own, plain],
    });
  });
});

describe('responseTransformer', () => {
  test('changes only the model and the cost', () => {
    const body = `{"id":"resp_1", "model":"gpt-x-2026","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi"}]}],"usage":{"input_tokens":5,"output_tokens":2} }`;
    const result = read({ model: 'm', input: 'hi' }).responseTransformer(CONTEXT).transform(Buffer.from(body));
    if (result.kind !== 'response') throw new Error(result.kind);
    expect(result).toMatchObject({ finishReason: 'completed', text: 'Hi', usage: usageOf({ input: 5, output: 2 }) });
    expect(result.render(FINAL).toString()).toBe(
      body.replace('gpt-x-2026', 'alias').replace('"output_tokens":2', '"output_tokens":2,"cost":0.25'),
    );
    expect(JSON.parse(result.render({ ...FINAL, estimated: true }).toString()).usage).toMatchObject({
      input_tokens: 5,
      output_tokens: 2,
      total_tokens: 7,
      cost: 0.25,
    });
  });

  test.each([
    ['a failure', { ...RESPONSE, status: 'failed', error: { code: 'server_error', message: 'm' } }, 'error'],
    ['an error', { error: { message: 'm' } }, 'error'],
    ['no output', { id: 'resp_1' }, 'malformed'],
  ])('recognizes %s', (_, body, kind) => {
    const request = read({ model: 'm', input: 'hi' });
    expect(request.responseTransformer(CONTEXT).transform(Buffer.from(JSON.stringify(body))).kind).toBe(kind);
  });
});

describe('streamTransformer', () => {
  const request = read({ model: 'm', input: 'hi', stream: true });

  test('keeps the last event back, and changes only the model and the cost', () => {
    const { transformer, steps, bytes } = push(request, sse(CREATED, DELTA, COMPLETED));
    expect(bytes).toBe(sse({ ...CREATED, response: { ...RESPONSE, model: 'alias' } }, DELTA));
    expect(steps[1]).toMatchObject({ kind: 'content', text: 'Hi' });
    expect(steps[2]).toMatchObject({
      kind: 'end',
      bytes: undefined,
      finishReason: 'completed',
      usage: usageOf({ input: 5, output: 2 }),
    });
    const last = { ...COMPLETED, response: { ...COMPLETED.response, model: 'alias', usage: { ...USAGE, cost: 0.25 } } };
    expect(transformer.close(FINAL).toString()).toBe(sse(last));
  });

  test('corrects indices of content that its item does not have', () => {
    const at = (item: number, indices: readonly number[]) => {
      const [first, second, third, fourth, fifth] = indices;
      const event = { output_index: item, item_id: 'i' };
      return [
        { type: 'response.content_part.added', ...event, content_index: first, part: {} },
        { type: 'response.output_text.delta', ...event, content_index: second, delta: 'Hi' },
        { type: 'response.output_text.done', ...event, content_index: third, text: 'Hi' },
        { type: 'response.content_part.added', ...event, content_index: fourth, part: {} },
        { type: 'response.refusal.delta', ...event, content_index: fifth, delta: 'no' },
      ];
    };
    const specified = [...at(0, [0, 0, 0, 1, 1]), ...at(1, [0, 0, 0, 1, 1])];
    expect(push(request, sse(...specified)).bytes).toBe(sse(...specified));
    const unannounced = { ...DELTA, output_index: 2, content_index: 3 };
    expect(push(request, sse(unannounced)).bytes).toBe(sse(unannounced));
    const acrossItems = [...at(0, [0, 0, 0, 1, 1]), ...at(1, [2, 2, 2, 3, 3])];
    expect(push(request, sse(...acrossItems)).bytes).toBe(sse(...specified));
    const byEvent = [...at(0, [0, 1, 2, 3, 4]), ...at(1, [5, 6, 7, 8, 9])];
    expect(push(request, sse(...byEvent)).bytes).toBe(sse(...specified));
  });

  test('adds the type of an end event to its data if only its name has it', () => {
    for (const type of [undefined, [[]], 7]) {
      const named = `event: response.completed\ndata: ${JSON.stringify({ ...COMPLETED, type })}\n\n`;
      const { transformer } = push(request, sse(CREATED, DELTA) + named);
      const [event] = new SseParser({ maxEventBytes: 10_000 }).push(transformer.close(FINAL)).events;
      expect(JSON.parse(event?.data?.toString() ?? '')).toMatchObject({
        type: 'response.completed',
        response: { model: 'alias', usage: { cost: 0.25 } },
      });
    }
  });

  test('an end event that is nested too deeply to edit is malformed', () => {
    const deep = `{"type":"response.completed","x":${'['.repeat(300)}${']'.repeat(300)},"response":{"output":[]}}`;
    const { steps } = push(request, `${sse(CREATED)}data: ${deep}\n\n`);
    expect(steps[1]?.kind).toBe('malformed');
  });

  test('reports failures, and an early end', () => {
    const failed = {
      type: 'response.failed',
      response: { ...RESPONSE, error: { code: 'server_error', message: 'm' } },
    };
    expect(push(request, sse(CREATED, failed)).steps[1]).toMatchObject({
      kind: 'error',
      error: { code: 'server_error', message: 'm' },
    });
    const error = { type: 'error', code: 'c', message: 'm', param: null };
    expect(push(request, sse(error)).steps[0]).toMatchObject({ kind: 'error', error: { message: 'm', code: 'c' } });
    expect(push(request, sse(CREATED)).transformer.eof().kind).toBe('malformed');
    expect(push(request, 'data: [1]\n\n').steps[0]?.kind).toBe('malformed');
  });

  // The last one is kept back or put in other words, so that its number is still to be given.
  test.each([
    ['nothing', []],
    ['an error', [{ type: 'error', sequence_number: 2, code: 'c', message: 'm', param: null }]],
    ['an end that was kept back', [{ ...COMPLETED, sequence_number: 2 }]],
  ])('reports an error in sequence, as a failed response, after %s', (_what, last) => {
    push(request, sse(CREATED, DELTA, ...last));
    const { events } = new SseParser({ maxEventBytes: 10_000 }).push(request.encodeStreamError(ERROR, 'trace'));
    expect(events.map((event) => [event.type, JSON.parse(event.data?.toString() ?? '')])).toMatchObject([
      // OpenAI's SDKs throw at this event; LangChain ignores the next.
      [
        'error',
        {
          type: 'error',
          sequence_number: 2,
          error: { code: 'server_error', message: 'gone', type: 'internal_error', param: null },
          trace_id: 'trace',
        },
      ],
      [
        'response.failed',
        {
          type: 'response.failed',
          sequence_number: 3,
          trace_id: 'trace',
          response: {
            id: 'resp_1',
            model: 'alias',
            status: 'failed',
            error: { code: 'server_error', message: 'gone', type: 'internal_error', details: null },
          },
        },
      ],
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import { type Usage, usageOf } from '../canonical/usage.ts';
import type { ClientRequest, FinalUsage, ResponseContext, StreamStep } from '../interface/protocol.ts';
import { runToEnd } from '../lists/stages.ts';
import { SseParser } from '../sse/parse.ts';
import { openaiChat } from './index.ts';

const CALL = { model: '', stream: 'none' } as const;
const MESSAGES = [{ role: 'user', content: 'hi' }];

function request(fields: object = {}): ClientRequest {
  const result = runToEnd(
    openaiChat.parseRequest(Buffer.from(JSON.stringify({ model: 'm', messages: MESSAGES, ...fields })), CALL),
  );
  if (!result.ok) throw new Error(result.error.message);
  return result.request;
}

const CONTEXT: ResponseContext = {
  model: 'm',
  created: 17,
  newId: () => 'a'.repeat(24),
  costOf: (usage: Usage) => `0.${usage.output}`,
};

const FINAL: FinalUsage = { usage: usageOf({ input: 5, output: 2 }), estimated: false, cost: '0.25' };
const ESTIMATED: FinalUsage = { ...FINAL, estimated: true };

const HEAD = '{"id":"c","object":"chat.completion.chunk","created":1,"model":"up","choices":';
const delta = (content: string, index = 0) =>
  `data: ${HEAD}[{"index":${index},"delta":{"content":"${content}"},"finish_reason":null}]}\n\n`;
const finish = (index = 0) => `data: ${HEAD}[{"index":${index},"delta":{},"finish_reason":"stop"}]}\n\n`;
const usage = (completion: number) =>
  `data: ${HEAD}[],"usage":{"prompt_tokens":5,"completion_tokens":${completion},"total_tokens":${5 + completion}}}\n\n`;
const DONE = 'data: [DONE]\n\n';

/** What the client gets of a stream, and how the passage took its end. */
function pass(stream: string, fields: object, final: FinalUsage): { out: string; steps: StreamStep[] } {
  const transformer = request({ stream: true, ...fields }).streamTransformer(CONTEXT);
  const { events } = new SseParser({ maxEventBytes: 100_000 }).push(Buffer.from(stream));
  const steps = events.map((event) => transformer.push(event));
  if (steps.at(-1)?.kind !== 'end') steps.push(transformer.eof());
  const bytes = steps.flatMap((step) => ('bytes' in step && step.bytes !== undefined ? [step.bytes] : []));
  if (steps.at(-1)?.kind === 'end') bytes.push(transformer.close(final));
  return { out: Buffer.concat(bytes).toString(), steps };
}

const ASKED = { stream_options: { include_usage: true } };
const here = (text: string) => text.replaceAll('"model":"up"', '"model":"m"');

describe('a request', () => {
  test('describes the request', () => {
    const { model, isStream, outputLimit, prompt, policy } = request({ stream: true, store: true });
    expect({ model, isStream, outputLimit }).toEqual({
      model: 'm',
      isStream: true,
      outputLimit: { tokens: undefined, field: 'max_completion_tokens' },
    });
    expect(prompt.toString()).toBe(JSON.stringify(MESSAGES));
    expect(policy.warnings.map((warning) => warning.path)).toEqual(['store']);
  });

  test.each([
    [{ max_tokens: 7 }, { tokens: 7, field: 'max_tokens' }],
    [{ max_completion_tokens: 7 }, { tokens: 7, field: 'max_completion_tokens' }],
  ])('has its output limit with the client’s name: %j', (fields, outputLimit) => {
    expect(request(fields).outputLimit).toEqual(outputLimit);
  });

  test('is sent with the edits of the policies and of the dispatch', () => {
    const body = request({ stream: true, store: true }).editRequest({ upstreamModel: 'up', outputTokens: 9 });
    expect(JSON.parse(body.toString())).toEqual({
      model: 'up',
      messages: MESSAGES,
      stream: true,
      store: false,
      max_completion_tokens: 9,
      stream_options: { include_usage: true },
    });
  });

  test('collects the texts of messages and tools, without data', () => {
    const messages = [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }] },
    ];
    const tools = [{ type: 'function', function: { name: 'f', description: 'says' } }];
    const texts = request({ messages, tools }).texts();
    expect(texts).toContain('says');
    expect(texts.join('')).not.toContain('base64');
  });

  test('is rejected with the path of the mistake', () => {
    const result = runToEnd(openaiChat.parseRequest(Buffer.from('{"model":"m","messages":[{"role":"user"}]}'), CALL));
    expect(result).toMatchObject({ ok: false, error: { path: 'messages[0].content' } });
  });
});

describe('a buffered response of the same protocol', () => {
  const answer = Buffer.from(
    '{"model":"up","choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}',
  );

  test('keeps its bytes except for the model and the cost', () => {
    const result = request().responseTransformer(CONTEXT).transform(answer);
    if (result.kind !== 'response') throw new Error(result.kind);
    expect(result).toMatchObject({ text: 'hi', finishReason: 'stop', usage: FINAL.usage });
    const expected = here(answer.toString()).replace(':2}', ':2,"cost":0.25}');
    expect(result.render(FINAL).toString()).toBe(expected);
  });

  test('gets the counted usage if its own is implausible', () => {
    const result = request().responseTransformer(CONTEXT).transform(answer);
    if (result.kind !== 'response') throw new Error(result.kind);
    expect(JSON.parse(result.render(ESTIMATED).toString())).toMatchObject({ usage: { total_tokens: 7, cost: 0.25 } });
  });

  test('is distinguished from errors and other bodies', () => {
    const read = (body: string) => request().responseTransformer(CONTEXT).transform(Buffer.from(body));
    expect(read('{"error":{"message":"m"}}')).toMatchObject({ kind: 'error', error: { message: 'm' } });
    expect(read('<html>').kind).toBe('malformed');
  });
});

describe('a stream of the same protocol', () => {
  const plain = delta('a') + finish();

  test('has no usage chunk for a client that did not request it', () => {
    expect(pass(plain + usage(2) + DONE, {}, FINAL).out).toBe(here(plain) + DONE);
  });

  test('keeps the usage chunk back until the charge is known, and puts the cost into it', () => {
    const { out, steps } = pass(plain + usage(2) + DONE, ASKED, FINAL);
    expect(steps.map((step) => step.kind)).toEqual(['content', 'content', 'content', 'end']);
    expect(steps[2]).toMatchObject({ bytes: undefined, usage: FINAL.usage });
    expect(out).toBe(here(plain + usage(2).replace('7}', '7,"cost":0.25}')) + DONE);
  });

  test.each([
    ['cannot be true', usage(0)],
    ['cannot be read', usage(-1)],
    ['is not there', ''],
  ])('gets a counted usage chunk if the upstream’s %s', (_, chunk) => {
    const { out } = pass(plain + chunk + DONE, ASKED, ESTIMATED);
    expect(out.startsWith(here(plain))).toBe(true);
    const [data, done] = out
      .slice(plain.length - 2)
      .trim()
      .split('\n\n')
      .map((line) => line.slice('data: '.length));
    expect(done).toBe('[DONE]');
    expect(JSON.parse(data ?? '')).toMatchObject({ id: 'c', model: 'm', choices: [], usage: { completion_tokens: 2 } });
    expect(pass(plain + chunk + DONE, {}, ESTIMATED).out).toBe(here(plain) + DONE);
  });

  test('has no second usage if a chunk of the response had it', () => {
    const last = finish().replace(']}', '],"usage":{"prompt_tokens":5,"completion_tokens":2}}');
    expect(pass(delta('a') + last + DONE, ASKED, FINAL).out).toBe(
      here(delta('a') + last.replace(':2}', ':2,"cost":0.2}')) + DONE,
    );
  });

  test('is complete without [DONE] once all its choices have ended, not before', () => {
    expect(pass(plain, {}, FINAL).out).toBe(here(plain) + DONE);
    expect(pass(delta('a'), {}, FINAL).steps.at(-1)?.kind).toBe('malformed');
    expect(pass(delta('a') + delta('b', 1) + finish(1), {}, FINAL).steps.at(-1)?.kind).toBe('malformed');
    expect(pass(delta('a') + delta('b', 1) + finish(1) + finish(0), {}, FINAL).steps.at(-1)?.kind).toBe('end');
    expect(pass('', {}, FINAL).steps.at(-1)?.kind).toBe('malformed');
  });

  test('passes comments on, and reports errors and malformed chunks', () => {
    const { steps } = pass(': ping\n\ndata: {"error":{"message":"m"}}\n\ndata: {\n\n', {}, FINAL);
    expect(steps.slice(0, 3)).toMatchObject([
      { kind: 'silent', bytes: Buffer.from(': ping\n\n') },
      { kind: 'error', error: { message: 'm' } },
      { kind: 'malformed' },
    ]);
  });

  test('has keep-alive comments, and errors as events', () => {
    const error = { message: 'm', type: 'internal_error', code: 502, details: null };
    expect(request().keepAlive?.toString()).toBe(': keep-alive\n\n');
    expect(request().encodeStreamError(error, 't').toString()).toBe(`data: ${openaiChat.encodeError(error, 't')}\n\n`);
    expect(JSON.parse(openaiChat.encodeError(error, 't'))).toEqual({ error, trace_id: 't' });
  });
});

import { describe, expect, test } from 'vitest';
import type { CanonicalRequest } from '../canonical/request.ts';
import type { CanonicalResponse } from '../canonical/response.ts';
import type { StreamEvent } from '../canonical/stream.ts';
import { usageOf } from '../canonical/usage.ts';
import type { CanonicalResult, FinalUsage, ResponseContext, StreamStep, Upstream } from '../interface/protocol.ts';
import type { Stages } from '../lists/stages.ts';
import type { Diagnostics } from '../request/diagnostics.ts';
import type { SseEvent } from '../sse/event.ts';
import { encodeSseEvent } from '../sse/event.ts';
import { type TranslatedClient, type Translation, translateRequest } from './request.ts';

const CONTEXT: ResponseContext = { model: 'm', created: 7, newId: () => 'id', costOf: () => '0.1' };
const FINAL: FinalUsage = { usage: usageOf({ input: 1, output: 2 }), estimated: false, cost: '0.5' };
const TARGET = { upstreamModel: 'up', outputTokens: undefined, isStream: false, maxOutputTokens: 100 };

const REQUEST: CanonicalRequest = {
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }], at: 'input[0]' }],
  tools: [{ type: 'custom', name: 'patch', grammar: { syntax: 'lark', definition: 'x' }, at: 'tools[0]' }],
  seed: 7,
  names: { seed: 'seed_here' },
};

function* saying<T>(value: T): Stages<T> {
  yield;
  return value;
}

/** A client whose protocol is the canonical form itself. */
function clientOf(result: CanonicalResult): TranslatedClient {
  return {
    policy: { options: [] },
    canonical: () => saying(result),
    encodeResponse: (response, final, context) =>
      Buffer.from(JSON.stringify({ response, final, model: context.model })),
    streamEncoder: () => ({
      push: (events) => {
        const sent = events.filter((event) => event.type !== 'start' && event.type !== 'finish');
        return sent.length === 0 ? undefined : Buffer.from(JSON.stringify(sent));
      },
      close: (final) => Buffer.from(`end ${final.cost}`),
    }),
  };
}

const CLIENT = clientOf({ ok: true, request: REQUEST, warnings: [{ path: 'odd', message: 'odd: not passed on' }] });

/** An upstream of canonical responses and events, which does not accept a seed. */
const UPSTREAM: Upstream = {
  path: () => '/generate',
  defaultParameters: {},
  maxStops: Number.POSITIVE_INFINITY,
  hasCustomTools: false,
  optionField: () => undefined,
  toolNames: { refused: /\./g, first: /^/, maxLength: 64 },
  nativeCount: undefined,
  encodeRequest: (request, target, diagnostics) => {
    if (request.seed !== undefined) diagnostics.warn(request.names.seed, 'left out');
    diagnostics.placed('turns[0]', request.messages[0]?.at);
    return saying({ model: target.upstreamModel, tools: request.tools });
  },
  decodeResponse: (body) => JSON.parse(body.toString()),
  streamDecoder: () => ({
    push: (event) => JSON.parse(event.data?.toString() ?? '{"kind":"events","events":[]}'),
    eof: () => ({ kind: 'events', events: [] }),
  }),
  readError: () => ({ message: '', type: '', code: '', param: '' }),
};

function translated(upstream = UPSTREAM): Translation {
  const result = translateRequest(CLIENT, upstream, TARGET);
  if (!result.ok) throw new Error(result.error.message);
  return result;
}

function sse(value: unknown): SseEvent {
  const data = Buffer.from(JSON.stringify(value));
  return { raw: encodeSseEvent(data.toString()), data, type: '' };
}

describe('translateRequest', () => {
  test('encodes the request, with the warnings of both sides', () => {
    const { json, warnings } = translated();
    expect(json).toMatchObject({ model: 'up', tools: [{ type: 'function', name: 'patch' }] });
    expect(warnings.map((warning) => warning.path)).toEqual(['odd', 'tools[0]', 'seed_here']);
  });

  test('does not wrap custom tools for an upstream that has them', () => {
    const { json, warnings } = translated({ ...UPSTREAM, hasCustomTools: true });
    expect(json).toMatchObject({ tools: [{ type: 'custom', name: 'patch' }] });
    expect(warnings.map((warning) => warning.path)).toEqual(['odd', 'seed_here']);
  });

  test('rejects what cannot be decoded or expressed', () => {
    const error = { path: 'a', message: 'a: no' };
    expect(translateRequest(clientOf({ ok: false, error }), UPSTREAM, TARGET)).toEqual({ ok: false, error });
    const strict: Upstream = {
      ...UPSTREAM,
      encodeRequest: (request, _target, diagnostics: Diagnostics) => {
        diagnostics.reject(request.names.seed, 'cannot be said');
        diagnostics.reject('other', 'cannot be said either');
        return saying({});
      },
    };
    expect(translateRequest(CLIENT, strict, TARGET)).toEqual({
      ok: false,
      error: { path: 'seed_here', message: 'seed_here: cannot be said' },
    });
  });

  test('names the field of an upstream error as the client does', () => {
    const error = { message: 'turns.0.text: too long', type: '', code: '', param: '' };
    expect(translated().clientMessage(error)).toBe('input[0]: too long');
  });
});

const RESPONSE: CanonicalResponse = {
  id: 'x',
  created: 1,
  usage: usageOf({ output: 2 }),
  choices: [
    {
      parts: [
        { type: 'text', text: 'Done. ' },
        { type: 'tool-call', id: 'c', name: 'patch', kind: 'function', input: '{"input":"+a"}' },
      ],
      finish: { reason: 'tool-calls', raw: 'tool_use' },
    },
  ],
};

describe('a buffered response', () => {
  const read = (value: unknown) =>
    translated()
      .responseTransformer(CONTEXT)
      .transform(Buffer.from(JSON.stringify(value)));

  test('is decoded for the charge and encoded for the client', () => {
    const result = read({ kind: 'response', response: RESPONSE });
    expect(result).toMatchObject({
      kind: 'response',
      usage: RESPONSE.usage,
      finishReason: 'tool_use',
      text: 'Done. patch{"input":"+a"}',
    });
    if (result.kind !== 'response') return;
    const written = JSON.parse(result.render(FINAL).toString());
    expect(written).toMatchObject({ model: 'm', final: { cost: '0.5' } });
    expect(written.response.choices[0].parts[1]).toMatchObject({ kind: 'custom', input: '+a' });
  });

  test('may be an error or malformed', () => {
    const error = { message: 'busy', type: '', code: '', param: '' };
    expect(read({ kind: 'error', error })).toEqual({ kind: 'error', error });
    expect(read({ kind: 'response', response: { ...RESPONSE, choices: [] } }).kind).toBe('malformed');
  });
});

describe('a stream', () => {
  const START: StreamEvent = { type: 'start', id: '', created: undefined };
  const FINISH: StreamEvent = { type: 'finish', choice: 0, finish: { reason: 'stop', raw: 'STOP' } };

  function run(...decoded: readonly unknown[]): StreamStep[] {
    const transformer = translated().streamTransformer(CONTEXT);
    return [...decoded.map((one) => transformer.push(sse(one))), transformer.eof()];
  }

  function sent(step: StreamStep | undefined): unknown {
    return step !== undefined && 'bytes' in step && step.bytes !== undefined
      ? JSON.parse(step.bytes.toString())
      : undefined;
  }

  test('reports text, finish and usage, and returns the client’s bytes', () => {
    const head = { type: 'text' };
    const delta = { type: 'part-delta', part: 0, text: 'a' };
    const steps = run(
      { kind: 'events', events: [START] },
      { kind: 'events', events: [{ type: 'part-start', part: 0, choice: 0, head }, delta, delta] },
      {
        kind: 'events',
        events: [
          { type: 'part-end', part: 0 },
          { type: 'usage', usage: FINAL.usage },
        ],
      },
      { kind: 'end', events: [FINISH] },
    );
    expect(steps).toMatchObject([
      { kind: 'opening', bytes: undefined },
      { kind: 'content', text: 'aa', finishReason: '' },
      { kind: 'content', text: '', usage: FINAL.usage },
      { kind: 'end', bytes: undefined, finishReason: 'STOP' },
      { kind: 'malformed' },
    ]);
    expect(sent(steps[1])).toHaveLength(3);
  });

  test('unwraps calls of custom tools, and counts them unwrapped', () => {
    const call = { type: 'tool-call', id: 'c', name: 'patch', kind: 'function' };
    const steps = run(
      { kind: 'events', events: [START, { type: 'part-start', part: 0, choice: 0, head: call }] },
      { kind: 'events', events: [{ type: 'part-delta', part: 0, text: '{"input":' }] },
      { kind: 'events', events: [{ type: 'part-delta', part: 0, text: '"+a"}' }] },
      { kind: 'events', events: [{ type: 'part-end', part: 0 }] },
    );
    expect(steps.map((step) => ('text' in step ? step.text : undefined))).toEqual([
      'patch',
      '{"input":',
      '"+a"}',
      '',
      undefined,
    ]);
    expect(sent(steps[0])).toMatchObject([{ head: { kind: 'custom' } }]);
    expect(steps[1]).toMatchObject({ kind: 'content', bytes: undefined });
    expect(sent(steps[3])).toEqual([
      { type: 'part-delta', part: 0, text: '+a' },
      { type: 'part-end', part: 0 },
    ]);
  });

  test('an event without content is silent', () => {
    expect(run({ kind: 'events', events: [] })[0]).toEqual({ kind: 'silent', bytes: undefined });
  });

  test('is never complete without the end of a choice', () => {
    const problem = 'the stream ended before the response was complete';
    expect(run({ kind: 'events', events: [START] }).at(-1)).toEqual({ kind: 'malformed', problem });
    expect(run({ kind: 'end', events: [START] })[0]).toEqual({ kind: 'malformed', problem });
    const closed: Upstream = {
      ...UPSTREAM,
      streamDecoder: () => ({
        push: () => ({ kind: 'events', events: [] }),
        eof: () => ({ kind: 'end', events: [START, FINISH] }),
      }),
    };
    expect(translated(closed).streamTransformer(CONTEXT).eof()).toMatchObject({ kind: 'end', finishReason: 'STOP' });
  });

  test('passes errors on, and closes with the cost', () => {
    const error = { message: 'busy', type: '', code: '', param: '' };
    expect(run({ kind: 'error', error })[0]).toEqual({ kind: 'error', error });
    expect(translated().streamTransformer(CONTEXT).close(FINAL).toString()).toBe('end 0.5');
  });
});

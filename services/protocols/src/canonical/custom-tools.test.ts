import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { request, stream } from '../../testing/canonical/arbitrary.ts';
import { checkStream } from '../../testing/canonical/check-stream.ts';
import { toStreamEvents } from '../../testing/canonical/to-stream-events.ts';
import { runToEnd } from '../lists/stages.ts';
import { Diagnostics } from '../request/diagnostics.ts';
import { CustomCallUnwrapper, unwrapCustomCalls, wrapCustomTools } from './custom-tools.ts';
import type { CanonicalRequest } from './request.ts';
import type { CanonicalResponse } from './response.ts';
import { collectResponse } from './response-collector.ts';
import type { StreamEvent } from './stream.ts';

const NAMES = new Set(['patch']);

const REQUEST: CanonicalRequest = {
  names: {},
  tools: [
    { type: 'function', name: 'weather' },
    {
      type: 'custom',
      name: 'patch',
      description: 'Changes files.',
      grammar: { syntax: 'lark', definition: 'start: "x"' },
      at: 'tools[1]',
    },
  ],
  messages: [
    {
      role: 'assistant',
      parts: [{ type: 'tool-call', id: 'c1', name: 'patch', kind: 'custom', input: 'say "hi"' }],
    },
    {
      role: 'tool',
      parts: [
        { type: 'tool-result', callId: 'c1', kind: 'custom', parts: [{ type: 'text', text: 'ok' }], isError: false },
      ],
    },
  ],
};

function answer(name: string, input: string): CanonicalResponse {
  return {
    id: 'a',
    created: 1,
    usage: undefined,
    choices: [
      {
        parts: [{ type: 'tool-call', id: 'c1', name, kind: 'function', input }],
        finish: { reason: 'tool-calls', raw: 'tool_use' },
      },
    ],
  };
}

describe('wrapCustomTools', () => {
  test('wraps tools in functions, with a warning for a grammar', () => {
    const diagnostics = new Diagnostics();
    const { request: wrapped, customTools } = runToEnd(wrapCustomTools(REQUEST, diagnostics));
    expect(wrapped.tools).toEqual([
      { type: 'function', name: 'weather' },
      {
        type: 'function',
        name: 'patch',
        description: 'Changes files.\n\nThe input must follow this grammar (lark):\nstart: "x"',
        at: 'tools[1]',
        parameters: expect.objectContaining({ required: ['input'] }),
      },
    ]);
    expect(customTools).toEqual(NAMES);
    expect(diagnostics.warnings.map((warning) => warning.path)).toEqual(['tools[1]']);
  });

  test('wraps earlier calls and their results', () => {
    const { messages } = runToEnd(wrapCustomTools(REQUEST, new Diagnostics())).request;
    expect(messages[0]?.parts).toEqual([
      { type: 'tool-call', id: 'c1', name: 'patch', kind: 'function', input: '{"input":"say \\"hi\\""}' },
    ]);
    expect(messages[1]?.parts).toMatchObject([{ kind: 'function', callId: 'c1' }]);
  });

  test('leaves no custom tool, call or result of any request, and changes no other request', () => {
    fc.assert(
      fc.property(request(), (one) => {
        const { request: wrapped, customTools } = runToEnd(wrapCustomTools(one, new Diagnostics()));
        const text = JSON.stringify([wrapped.tools, wrapped.messages]);
        expect(text).not.toContain('"kind":"custom"');
        expect(text).not.toContain('"type":"custom"');
        if (customTools.size === 0) expect(wrapped).toEqual(one);
      }),
    );
  });
});

describe('unwrapping', () => {
  test.each([
    ['{"input":"say \\"hi\\""}', 'say "hi"'],
    ['{"input":""}', ''],
    ['{"other":1}', '{"other":1}'],
    ['*** Begin', '*** Begin'],
    ['{"input":"\\ud83d"}', '\ufffd'],
  ])('unwraps %j as %j, buffered and streamed', (input, plain) => {
    const parts = [{ type: 'tool-call', id: 'c1', name: 'patch', kind: 'custom', input: plain }];
    expect(unwrapCustomCalls(answer('patch', input), NAMES).choices[0]?.parts).toEqual(parts);
    const events = new CustomCallUnwrapper(NAMES).push(toStreamEvents(answer('patch', input)));
    checkStream(events);
    expect(collectResponse(events).choices[0]?.parts).toEqual(parts);
  });

  test('does not change calls of functions', () => {
    const complete = answer('weather', '{"input":"x"}');
    expect(unwrapCustomCalls(complete, NAMES)).toEqual(complete);
    const events = toStreamEvents(complete);
    expect(new CustomCallUnwrapper(NAMES).push(events)).toBe(events);
  });

  test('unwraps a stream like the buffered response, however it is split', () => {
    const names = new Set(['tool_0']);
    fc.assert(
      fc.property(stream(), fc.integer({ min: 1, max: 5 }), (events, size) => {
        const unwrapper = new CustomCallUnwrapper(names);
        const out: StreamEvent[] = [];
        for (let at = 0; at < events.length; at += size) out.push(...unwrapper.push(events.slice(at, at + size)));
        checkStream(out);
        expect(collectResponse(out)).toEqual(unwrapCustomCalls(collectResponse(events), names));
      }),
    );
  });
});

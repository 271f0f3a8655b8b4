import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalForm } from '../../src/canonical/normal-form.ts';
import type { Placed } from '../../src/canonical/part.ts';
import type { StreamEvent } from '../../src/canonical/stream.ts';
import { runToEnd } from '../../src/lists/stages.ts';
import { request, response, stream } from './arbitrary.ts';
import { checkStream } from './check-stream.ts';

describe('random requests', () => {
  test('are in normal form, and each result has a call before it', () => {
    fc.assert(
      fc.property(request(), ({ messages, tools }) => {
        expect(runToEnd(normalForm(messages))).toEqual(messages);
        const open: string[] = [];
        for (const { role, parts } of messages) {
          for (const part of parts) {
            if (part.type === 'tool-call') {
              open.push(part.id);
              expect(tools.find((tool) => tool.name === part.name)?.type).toBe(part.kind);
            } else if (role === 'tool' && part.type === 'tool-result') expect(open.shift()).toBe(part.callId);
          }
        }
        expect(open).toEqual([]);
      }),
    );
  });

  test('are cached if requested', () => {
    fc.assert(
      fc.property(request({ placed: true }), ({ messages, tools, names, ...fields }) => {
        expect(Object.keys(names).sort()).toEqual(Object.keys(fields).sort());
        const parts = messages.flatMap((message): readonly Placed[] => message.parts);
        for (const piece of [...tools, ...messages, ...parts]) {
          expect(piece.at).toBeDefined();
        }
      }),
    );
  });

  test('have only enabled fields', () => {
    const switches = {
      fields: ['seed'],
      tools: false,
      media: ['audio'],
      origins: [],
      unsignedReasoning: false,
    } as const;
    fc.assert(
      fc.property(request(switches), (one) => {
        expect(Object.keys(one).filter((key) => !['messages', 'tools', 'names', 'seed'].includes(key))).toEqual([]);
        expect(one.tools).toEqual([]);
        const types = one.messages
          .filter((message) => message.role !== 'assistant')
          .flatMap((message) => message.parts.map((part) => part.type));
        expect(types.filter((type) => type !== 'text' && type !== 'audio')).toEqual([]);
        expect(JSON.stringify(one)).not.toContain('"type":"reasoning"');
      }),
    );
  });
});

describe('random streams', () => {
  test('are valid', () => {
    fc.assert(fc.property(stream(), (events) => checkStream(events)));
  });

  test('cover media, signatures and several choices', () => {
    const streams = fc.sample(stream(), { numRuns: 200, seed: 7 });
    const has = (test: (event: StreamEvent) => boolean) => streams.filter((events) => events.some(test)).length;
    expect(has((event) => event.type === 'media')).toBeGreaterThan(10);
    expect(has((event) => event.type === 'part-end' && event.opaque !== undefined)).toBeGreaterThan(10);
    expect(has((event) => event.type === 'finish' && event.choice === 2)).toBeGreaterThan(10);
    expect(has((event) => event.type === 'part-citation')).toBeGreaterThan(10);
  });

  test('a flat answer has at most one text and ends in its calls', () => {
    fc.assert(
      fc.property(response({ flat: true }), ({ choices }) => {
        for (const { parts } of choices) {
          const types = parts.map((part) => part.type);
          expect(types.filter((type) => type === 'text').length).toBeLessThanOrEqual(1);
          const first = types.indexOf('tool-call');
          expect(first === -1 ? [] : types.slice(first).filter((type) => type !== 'tool-call')).toEqual([]);
        }
      }),
    );
  });
});

describe('checkStream', () => {
  const start: StreamEvent = { type: 'start', id: '', created: undefined };
  const open = (part: number, choice = 0): StreamEvent => ({
    type: 'part-start',
    part,
    choice,
    head: { type: 'text' },
  });
  const delta = (part: number, text = 'a'): StreamEvent => ({ type: 'part-delta', part, text });
  const end = (part: number): StreamEvent => ({ type: 'part-end', part });
  const finish = (choice = 0): StreamEvent => ({ type: 'finish', choice, finish: { reason: 'stop', raw: '' } });

  test('accepts a valid stream', () => {
    checkStream([start, open(0), open(1, 1), delta(1), delta(0), end(0), end(1), finish(1), finish()]);
    checkStream([start, open(0), delta(0)], false);
  });

  test.each<[string, StreamEvent[]]>([
    ['start must come first', [open(0)]],
    ['start must come first', [start, start]],
    ['another part of the choice is open', [start, open(0), open(1)]],
    ['used before', [start, open(0), end(0), open(0)]],
    ['not open', [start, delta(0)]],
    ['not open', [start, open(0), end(0), delta(0)]],
    ['not open', [start, open(0), end(0), end(0)]],
    ['still open', [start, open(0), finish()]],
    ['has finished', [start, finish(), finish()]],
    ['has finished', [start, finish(), open(0)]],
    ['never closed', [start, open(0)]],
    ['has no finish', [start, open(0), end(0)]],
    ['no choice', [start]],
    ['a character is cut', [start, open(0), delta(0, '\ud83d')]],
  ])('finds that: %s', (problem, events) => {
    expect(() => checkStream(events)).toThrow(problem);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stream } from '../../testing/canonical/arbitrary.ts';
import { checkStream } from '../../testing/canonical/check-stream.ts';
import type { CanonicalResponse } from './response.ts';
import { collectResponse } from './response-collector.ts';
import { SingleCallFilter, withSingleCall } from './single-call.ts';
import type { StreamEvent } from './stream.ts';

const SIGNATURE = { origin: 'gemini', data: 'c2ln' } as const;

function head(id: string) {
  return { type: 'tool-call', id, name: 'f', kind: 'function' } as const;
}

/** Two choices: three calls with a text between them, and one call. */
const EVENTS: readonly StreamEvent[] = [
  { type: 'start', id: 'r', created: 1 },
  { type: 'part-start', part: 0, choice: 0, head: head('a') },
  { type: 'part-delta', part: 0, text: '{}' },
  { type: 'part-start', part: 1, choice: 1, head: head('b') },
  { type: 'part-delta', part: 1, text: '{"n":1}' },
  { type: 'part-end', part: 0, opaque: SIGNATURE },
  { type: 'part-start', part: 2, choice: 0, head: head('c') },
  { type: 'part-delta', part: 2, text: '{"n":2}' },
  { type: 'logprobs', choice: 0, tokens: [{ token: 'n', logprob: -1, top: [] }] },
  { type: 'part-end', part: 1 },
  { type: 'part-end', part: 2, opaque: SIGNATURE },
  { type: 'part-start', part: 3, choice: 0, head: { type: 'text' } },
  { type: 'part-delta', part: 3, text: 'Both.' },
  { type: 'part-end', part: 3 },
  { type: 'part-start', part: 4, choice: 0, head: head('d') },
  { type: 'part-end', part: 4 },
  { type: 'finish', choice: 0, finish: { reason: 'tool-calls', raw: 'STOP' } },
  { type: 'finish', choice: 1, finish: { reason: 'tool-calls', raw: 'STOP' } },
];

function filtered(events: readonly StreamEvent[], batch: number): StreamEvent[] {
  const filter = new SingleCallFilter();
  const kept: StreamEvent[] = [];
  for (let at = 0; at < events.length; at += batch) kept.push(...filter.push(events.slice(at, at + batch)));
  return kept;
}

function calls({ choices }: CanonicalResponse): string[][] {
  return choices.map(({ parts }) => parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : [])));
}

describe('at most one call', () => {
  test('of each choice is the first, with its signature, and other parts and the finish stay', () => {
    const response = withSingleCall(collectResponse(EVENTS));
    expect(calls(response)).toEqual([['a'], ['b']]);
    expect(response.choices[0]?.parts).toEqual([
      { ...head('a'), input: '{}', opaque: SIGNATURE },
      { type: 'text', text: 'Both.' },
    ]);
    expect(response.choices.map(({ finish }) => finish.reason)).toEqual(['tool-calls', 'tool-calls']);
  });

  test.each([1, 3, 100])('of a stream in batches of %i is the same, without log probabilities of others', (batch) => {
    const kept = filtered(EVENTS, batch);
    checkStream(kept);
    expect(collectResponse(kept)).toEqual(withSingleCall({ ...collectResponse(EVENTS), ...withoutLogprobs(EVENTS) }));
  });

  test('leaves a response with one call as it is', () => {
    const response = collectResponse(EVENTS.slice(0, 3));
    expect(withSingleCall(response)).toBe(response);
    const events = EVENTS.slice(0, 6);
    expect(new SingleCallFilter().push(events)).toBe(events);
  });

  test('holds for any stream, and drops nothing but calls', () => {
    fc.assert(
      fc.property(stream({ flat: true }), fc.integer({ min: 1, max: 5 }), (events, batch) => {
        const kept = filtered(events, batch);
        checkStream(kept);
        const [before, after] = [collectResponse(events), collectResponse(kept)];
        for (const [index, choice] of after.choices.entries()) {
          const others = before.choices[index]?.parts.filter((part) => part.type !== 'tool-call');
          expect(choice.parts.filter((part) => part.type !== 'tool-call')).toEqual(others);
          expect(choice.finish).toEqual(before.choices[index]?.finish);
        }
        expect(calls(after)).toEqual(calls(before).map((ids) => ids.slice(0, 1)));
        expect(after.usage).toEqual(before.usage);
      }),
      { numRuns: 200 },
    );
  });
});

function withoutLogprobs(events: readonly StreamEvent[]): Pick<CanonicalResponse, 'choices'> {
  return { choices: collectResponse(events.filter(({ type }) => type !== 'logprobs')).choices };
}

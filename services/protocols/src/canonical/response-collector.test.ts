import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stream } from '../../testing/canonical/arbitrary.ts';
import { generatedText, textOfEvent } from './generated-text.ts';
import { collectResponse } from './response-collector.ts';
import type { StreamEvent } from './stream.ts';
import { usageOf } from './usage.ts';

const START: StreamEvent = { type: 'start', id: 'a', created: 5 };

test('collects parts in the order they opened, and choices by number', () => {
  const signature = { origin: 'gemini', data: 's' } as const;
  const events: StreamEvent[] = [
    START,
    { type: 'part-start', part: 4, choice: 1, head: { type: 'refusal' } },
    { type: 'usage', usage: usageOf({ input: 1 }) },
    { type: 'part-start', part: 1, choice: 0, head: { type: 'text' } },
    { type: 'part-delta', part: 1, text: 'a' },
    { type: 'part-delta', part: 4, text: 'no' },
    { type: 'part-citation', part: 1, citation: { url: 'https://a.example' } },
    { type: 'part-delta', part: 1, text: 'b' },
    { type: 'part-end', part: 1, opaque: signature },
    { type: 'part-end', part: 4 },
    { type: 'finish', choice: 1, finish: { reason: 'refusal', raw: 'refusal' } },
    { type: 'finish', choice: 0, finish: { reason: 'stop', raw: 'stop' } },
    { type: 'usage', usage: usageOf({ input: 2 }) },
  ];
  expect(collectResponse(events)).toEqual({
    id: 'a',
    created: 5,
    usage: usageOf({ input: 2 }),
    choices: [
      {
        parts: [{ type: 'text', text: 'ab', citations: [{ url: 'https://a.example' }], opaque: signature }],
        finish: { reason: 'stop', raw: 'stop' },
      },
      { parts: [{ type: 'refusal', text: 'no' }], finish: { reason: 'refusal', raw: 'refusal' } },
    ],
  });
});

test('returns the content of an interrupted stream', () => {
  expect(collectResponse([START]).choices).toEqual([{ parts: [], finish: { reason: 'other', raw: '' } }]);
});

test('a stream has as much generated text as its response', () => {
  fc.assert(
    fc.property(stream(), (events) => {
      const pieces = events.map(textOfEvent).join('');
      const complete = generatedText(collectResponse(events));
      expect([...pieces].sort()).toEqual([...complete].sort());
    }),
  );
});

import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stream } from '../../testing/canonical/arbitrary.ts';
import { checkStream } from '../../testing/canonical/check-stream.ts';
import type { CanonicalResponse } from './response.ts';
import { collectResponse } from './response-collector.ts';
import { StopScanner, StopWords } from './stop-scanner.ts';
import { StopFilter, withStops } from './stop-words.ts';
import type { StreamEvent } from './stream.ts';

/** Of few letters, so that words overlap, contain each other and come again and again. */
const letters = (switches: { minLength: number; maxLength: number }): Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'ü', '😀'), ...switches });
const words = fc.array(letters({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 });
const pieces = fc.array(letters({ minLength: 0, maxLength: 6 }), { maxLength: 12 });

/** The text up to the first stop word, found without an automaton. */
function cutText(text: string, stops: readonly string[]): string {
  const starts = stops.map((stop) => text.indexOf(stop)).filter((start) => start >= 0);
  return starts.length === 0 ? text : text.slice(0, Math.min(...starts));
}

/** The longest end of a text that a stop word begins with. */
function longestBeginning(text: string, stops: readonly string[]): number {
  const beginnings = stops.flatMap((stop) => Array.from({ length: stop.length - 1 }, (_, i) => stop.slice(0, i + 1)));
  return Math.max(0, ...beginnings.map((one) => (text.endsWith(one) ? one.length : 0)));
}

describe('a scanned text', () => {
  test('is the text up to the first stop word, in whatever pieces it comes', () => {
    fc.assert(
      fc.property(words, pieces, (stops, chunks) => {
        const scanner = new StopScanner(new StopWords(stops));
        const whole = chunks.join('');
        const expected = cutText(whole, stops);
        let [passed, read] = ['', ''];
        for (const chunk of chunks) {
          const { text, stop } = scanner.push(chunk);
          passed += text;
          read += chunk;
          if (stop !== undefined) {
            expect(stops).toContain(stop);
            expect(passed).toBe(expected);
            expect(whole.startsWith(expected + stop)).toBe(true);
            return;
          }
          // Nothing is held back but what may be the beginning of a stop word.
          if (cutText(read, stops) === read) expect(read.length - passed.length).toBe(longestBeginning(read, stops));
        }
        expect(passed + scanner.end().text).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  test('holds back no more than the longest stop word', () => {
    const stops = Array.from({ length: 64 }, (_, i) => `${'a'.repeat(255 - i)}b`);
    const scanner = new StopScanner(new StopWords(stops));
    let passed = 0;
    for (let i = 0; i < 20_000; i++) passed += scanner.push('a'.repeat(10)).text.length;
    expect(passed).toBe(200_000 - 255);
    expect(scanner.push('b')).toEqual({ text: '', stop: `${'a'.repeat(255)}b` });
  });
});

const EVENTS: readonly StreamEvent[] = [
  { type: 'start', id: 'r', created: 1 },
  { type: 'part-start', part: 0, choice: 0, head: { type: 'reasoning', form: 'full' } },
  { type: 'part-delta', part: 0, text: 'Perhaps END?' },
  { type: 'part-end', part: 0 },
  { type: 'part-start', part: 1, choice: 0, head: { type: 'tool-call', id: 'a', name: 'f', kind: 'function' } },
  { type: 'part-delta', part: 1, text: '{"word":"END"}' },
  { type: 'part-end', part: 1 },
  { type: 'part-start', part: 2, choice: 0, head: { type: 'text' } },
  { type: 'part-delta', part: 2, text: 'Done E' },
  { type: 'logprobs', choice: 0, tokens: [logprob('Done'), logprob(' E')] },
  { type: 'part-delta', part: 2, text: 'ND more' },
  { type: 'logprobs', choice: 0, tokens: [logprob('ND'), logprob(' more')] },
  { type: 'part-end', part: 2 },
  { type: 'part-start', part: 3, choice: 0, head: { type: 'text' } },
  { type: 'part-delta', part: 3, text: 'And more.' },
  { type: 'part-end', part: 3 },
  { type: 'finish', choice: 0, finish: { reason: 'length', raw: 'length' } },
  { type: 'usage', usage: undefined },
];

function logprob(token: string) {
  return { token, logprob: -1, top: [] };
}

function filtered(events: readonly StreamEvent[], stops: readonly string[], choices: number, batch: number) {
  const filter = new StopFilter({ words: stops, choices });
  const kept: StreamEvent[] = [];
  let stoppedAt: number | undefined;
  for (let at = 0; at < events.length; at += batch) {
    kept.push(...filter.push(events.slice(at, at + batch)));
    if (filter.isStopped) stoppedAt ??= at;
  }
  return { kept, stoppedAt };
}

function textsOf({ choices }: CanonicalResponse): string[][] {
  return choices.map(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' && part.text !== '' ? [part.text] : [])),
  );
}

describe('a response with stop words', () => {
  test.each([1, 2, 3, 100])('ends at the first in visible text: in batches of %i', (batch) => {
    const { kept } = filtered(EVENTS, ['END', '\n'], 1, batch);
    checkStream(kept);
    const response = collectResponse(kept);
    expect(response.choices).toEqual([
      {
        parts: [
          { type: 'reasoning', form: 'full', text: 'Perhaps END?' },
          { type: 'tool-call', id: 'a', name: 'f', kind: 'function', input: '{"word":"END"}' },
          { type: 'text', text: 'Done ' },
        ],
        finish: { reason: 'tool-calls', raw: '', stopSequence: 'END' },
        logprobs: [logprob('Done')],
      },
    ]);
    expect(response).toEqual(withStops(collectResponse(EVENTS), { words: ['END', '\n'], choices: 1 }));
  });

  test('has no text where it begins with one, and names it', () => {
    const { kept, stoppedAt } = filtered(EVENTS, ['Done'], 1, 1);
    checkStream(kept);
    expect(textsOf(collectResponse(kept))).toEqual([[]]);
    expect(kept.at(-2)).toEqual({
      type: 'finish',
      choice: 0,
      finish: { reason: 'tool-calls', raw: '', stopSequence: 'Done' },
    });
    expect(stoppedAt).toBe(8);
  });

  test('goes on until all choices have ended', () => {
    const other = (text: string): StreamEvent[] => [
      { type: 'part-start', part: 9, choice: 1, head: { type: 'text' } },
      { type: 'part-delta', part: 9, text },
      { type: 'part-end', part: 9 },
      { type: 'finish', choice: 1, finish: { reason: 'stop', raw: 'stop' } },
    ];
    expect(filtered([...EVENTS, ...other('Two.')], ['END'], 2, 1).stoppedAt).toBe(EVENTS.length + 3);
    expect(filtered([...EVENTS, ...other('An END')], ['END'], 2, 1).stoppedAt).toBe(EVENTS.length + 1);
    expect(filtered([...EVENTS, ...other('Two.')], ['nowhere'], 2, 1).stoppedAt).toBeUndefined();
  });

  test('is the same if none of them comes', () => {
    const response = collectResponse(EVENTS);
    expect(withStops(response, { words: ['nowhere'], choices: 1 })).toBe(response);
  });

  test('is the same streamed and not, for any stream', () => {
    const stops = fc.array(
      fc.oneof(letters({ minLength: 1, maxLength: 2 }), fc.constantFrom('e', 'or', ' ', 'Lorem')),
      {
        minLength: 1,
        maxLength: 3,
      },
    );
    fc.assert(
      fc.property(stream(), stops, fc.integer({ min: 1, max: 5 }), (events, given, batch) => {
        const before = collectResponse(events);
        const { kept } = filtered(events, given, before.choices.length, batch);
        checkStream(kept);
        const after = collectResponse(kept);
        const whole = withStops(before, { words: given, choices: before.choices.length });
        expect(textsOf(after)).toEqual(textsOf(whole));
        expect(after.choices.map(({ finish }) => finish)).toEqual(whole.choices.map(({ finish }) => finish));
        expect(after.usage).toEqual(before.usage);
        for (const [i, texts] of textsOf(whole).entries()) {
          const all = textsOf(before)[i] ?? [];
          const first = all.findIndex((text) => cutText(text, given) !== text);
          const expected = first === -1 ? all : [...all.slice(0, first), cutText(all[first] ?? '', given)];
          expect(texts).toEqual(expected.filter((text) => text !== ''));
        }
      }),
      { numRuns: 500 },
    );
  });
});

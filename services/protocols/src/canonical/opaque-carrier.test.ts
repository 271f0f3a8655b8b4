import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { response, stream } from '../../testing/canonical/arbitrary.ts';
import { checkStream } from '../../testing/canonical/check-stream.ts';
import { toStreamEvents } from '../../testing/canonical/to-stream-events.ts';
import type { Opaque } from './opaque.ts';
import { detachOpaques, OpaqueCarrier } from './opaque-carrier.ts';
import type { OutputPart, ReasoningPart } from './part.ts';
import { collectResponse } from './response-collector.ts';
import { restoreParts } from './restore-opaques.ts';
import type { StreamEvent } from './stream.ts';
import { textFingerprint } from './text-fingerprint.ts';

const SIGNATURE: Opaque = { origin: 'gemini', data: 'c2ln' };
const CALL: OutputPart = { type: 'tool-call', id: 'call_1', name: 'weather', kind: 'function', input: '{}' };
const TEXT: OutputPart = { type: 'text', text: 'Let me look.' };
const THOUGHT: ReasoningPart = { type: 'reasoning', form: 'summary', text: 'Hm.' };
const CARRIER: ReasoningPart = {
  type: 'reasoning',
  form: 'full',
  text: '',
  opaque: { ...SIGNATURE, of: { call: 'call_1' } },
};
const OF_TEXT: Opaque = { ...SIGNATURE, of: { text: textFingerprint(TEXT.text) } };

/** The parts as a stream carries them. */
function streamed(parts: readonly OutputPart[], endsInReasoning: boolean): readonly OutputPart[] {
  const choices = [{ parts, finish: { reason: 'stop', raw: 'stop' } as const }];
  const events = toStreamEvents({ id: 'r', created: undefined, usage: undefined, choices });
  const carried = new OpaqueCarrier({ endsInReasoning }).push(events);
  checkStream(carried);
  return collectResponse(carried).choices[0]?.parts ?? [];
}

describe('the signature of a call', () => {
  test.each([true, false])('goes before the call and names it (ends in reasoning: %s)', (endsInReasoning) => {
    const parts = [TEXT, { ...CALL, opaque: SIGNATURE }];
    expect(detachOpaques(parts, { endsInReasoning })).toEqual([TEXT, CARRIER, CALL]);
    expect(streamed(parts, endsInReasoning)).toEqual([TEXT, CARRIER, CALL]);
  });

  test('goes into reasoning that is there anyway', () => {
    const parts = [THOUGHT, { ...CALL, opaque: SIGNATURE }];
    const expected = [{ ...THOUGHT, opaque: CARRIER.opaque }, CALL];
    expect(detachOpaques(parts, { endsInReasoning: false })).toEqual(expected);
    expect(streamed(parts, false)).toEqual(expected);
  });

  test('does not replace the signature of reasoning', () => {
    const signed = { ...THOUGHT, opaque: { origin: 'openai-chat', data: 'x' } as const };
    expect(streamed([signed, { ...CALL, opaque: SIGNATURE }], false)).toEqual([signed, CARRIER, CALL]);
  });

  test('that comes at the end of the call goes before the next part, or is left out', () => {
    const events: StreamEvent[] = [
      { type: 'start', id: '', created: undefined },
      {
        type: 'part-start',
        part: 0,
        choice: 0,
        head: { type: 'tool-call', id: 'call_1', name: 'weather', kind: 'function' },
      },
      { type: 'part-delta', part: 0, text: '{}' },
      { type: 'part-end', part: 0, opaque: SIGNATURE },
    ];
    const more: StreamEvent[] = [
      { type: 'part-start', part: 1, choice: 0, head: { type: 'text' } },
      { type: 'part-delta', part: 1, text: 'Let me look.' },
      { type: 'part-end', part: 1 },
    ];
    const finish: StreamEvent = { type: 'finish', choice: 0, finish: { reason: 'stop', raw: '' } };
    const parts = (all: readonly StreamEvent[], endsInReasoning: boolean) =>
      collectResponse(new OpaqueCarrier({ endsInReasoning }).push(all)).choices[0]?.parts;
    expect(parts([...events, ...more, finish], false)).toEqual([CALL, CARRIER, TEXT]);
    expect(parts([...events, finish], false)).toEqual([CALL]);
    expect(parts([...events, finish], true)).toEqual([CALL, CARRIER]);
  });
});

describe('the signature of a text', () => {
  const parts = [{ ...TEXT, opaque: SIGNATURE }];

  test('goes before the text of a buffered response, and after that of a stream, which must not wait', () => {
    const carrier = { ...CARRIER, opaque: OF_TEXT };
    expect(detachOpaques(parts, { endsInReasoning: true })).toEqual([carrier, TEXT]);
    expect(streamed(parts, true)).toEqual([TEXT, carrier]);
  });

  test('gets no part of its own in a response that must not end in reasoning', () => {
    expect(detachOpaques(parts, { endsInReasoning: false })).toEqual([TEXT]);
    expect(streamed(parts, false)).toEqual([TEXT]);
    expect(detachOpaques([THOUGHT, ...parts], { endsInReasoning: false })).toEqual([
      { ...THOUGHT, opaque: OF_TEXT },
      TEXT,
    ]);
  });
});

test('encrypted reasoning is not the last part of a response that must not end in reasoning', () => {
  const silent: ReasoningPart = {
    type: 'reasoning',
    form: 'full',
    text: '',
    opaque: { origin: 'openai-chat', data: 'x' },
  };
  expect(detachOpaques([TEXT, silent], { endsInReasoning: false })).toEqual([TEXT]);
  expect(streamed([TEXT, silent], false)).toEqual([TEXT]);
  expect(streamed([TEXT, silent, CALL], false)).toEqual([TEXT, silent, CALL]);
  expect(streamed([TEXT, silent], true)).toEqual([TEXT, silent]);
});

test('text is sent at once, while the end of reasoning waits', () => {
  const carrier = new OpaqueCarrier({ endsInReasoning: false });
  const start: StreamEvent = { type: 'part-start', part: 0, choice: 0, head: { type: 'reasoning', form: 'full' } };
  const delta: StreamEvent = { type: 'part-delta', part: 0, text: 'Hm.' };
  expect(carrier.push([start])).toEqual([]);
  expect(carrier.push([delta])).toEqual([start, delta]);
  expect(carrier.push([{ type: 'part-end', part: 0 }])).toEqual([]);
  const text: StreamEvent = { type: 'part-start', part: 1, choice: 0, head: { type: 'text' } };
  const words: StreamEvent = { type: 'part-delta', part: 1, text: 'Sun.' };
  expect(carrier.push([text, words])).toEqual([{ type: 'part-end', part: 0 }, text, words]);
});

test('any response comes back, with signatures only in reasoning in between', () => {
  fc.assert(
    fc.property(response({ maxChoices: 1 }), ({ choices }) => {
      for (const { parts } of choices) {
        const detached = detachOpaques(parts, { endsInReasoning: true });
        expect(detached.filter((part) => part.type !== 'reasoning' && 'opaque' in part)).toEqual([]);
        expect(restoreParts(detached)).toEqual(parts);
      }
    }),
  );
});

test('a stream comes back like the buffered response, however it is split', () => {
  fc.assert(
    fc.property(stream({ maxChoices: 1 }), fc.integer({ min: 1, max: 5 }), (events, size) => {
      const carrier = new OpaqueCarrier({ endsInReasoning: true });
      const carried: StreamEvent[] = [];
      for (let at = 0; at < events.length; at += size) carried.push(...carrier.push(events.slice(at, at + size)));
      checkStream(carried);
      const expected = collectResponse(events).choices[0]?.parts ?? [];
      expect(restoreParts(collectResponse(carried).choices[0]?.parts ?? [])).toEqual(expected);
    }),
  );
});

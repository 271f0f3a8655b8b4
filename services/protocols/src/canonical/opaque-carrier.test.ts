import fc from 'fast-check';
import { expect, test } from 'vitest';
import { response, stream } from '../../testing/canonical/arbitrary.ts';
import { checkStream } from '../../testing/canonical/check-stream.ts';
import { attachOpaques, detachOpaques, OpaqueCarrier } from './opaque-carrier.ts';
import type { OutputPart } from './part.ts';
import { collectResponse } from './response-collector.ts';
import type { StreamEvent } from './stream.ts';

const SIGNATURE = { origin: 'gemini', data: 'c2ln' } as const;
const CALL: OutputPart = { type: 'tool-call', id: 'call_1', name: 'weather', kind: 'function', input: '{}' };

test('a signature is detached after its part and reattached', () => {
  const parts: OutputPart[] = [
    { type: 'text', text: 'Let me look.' },
    { ...CALL, opaque: SIGNATURE },
  ];
  const detached = detachOpaques(parts);
  expect(detached).toEqual([
    { type: 'text', text: 'Let me look.' },
    CALL,
    { type: 'reasoning', form: 'full', text: '', opaque: { ...SIGNATURE, ofPrevious: true } },
  ]);
  expect(attachOpaques(detached)).toEqual(parts);
});

test('drops a signature whose part is missing', () => {
  const [, , stray] = detachOpaques([
    { type: 'text', text: 'a' },
    { ...CALL, opaque: SIGNATURE },
  ]);
  if (stray === undefined) throw new Error('nothing was detached');
  expect(attachOpaques([stray])).toEqual([]);
  expect(attachOpaques([{ type: 'refusal', text: 'no' }, stray])).toEqual([{ type: 'refusal', text: 'no' }]);
});

test('any response comes back, with signatures only in reasoning in between', () => {
  fc.assert(
    fc.property(response(), ({ choices }) => {
      for (const { parts } of choices) {
        const detached = detachOpaques(parts);
        expect(detached.filter((part) => part.type !== 'reasoning' && 'opaque' in part)).toEqual([]);
        expect(attachOpaques(detached)).toEqual(parts);
      }
    }),
  );
});

test('detaches from a stream as from the buffered response, however it is split', () => {
  fc.assert(
    fc.property(stream(), fc.integer({ min: 1, max: 5 }), (events, size) => {
      const carrier = new OpaqueCarrier();
      const carried: StreamEvent[] = [];
      for (let at = 0; at < events.length; at += size) carried.push(...carrier.push(events.slice(at, at + size)));
      checkStream(carried);
      const expected = collectResponse(events).choices.map(({ parts }) => detachOpaques(parts));
      expect(collectResponse(carried).choices.map(({ parts }) => parts)).toEqual(expected);
    }),
  );
});

test('events without content pass unchanged', () => {
  const events: StreamEvent[] = [{ type: 'part-delta', part: 0, text: 'a' }];
  expect(new OpaqueCarrier().push(events)).toBe(events);
});

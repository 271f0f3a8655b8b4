import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countEventEnds } from './count-events.ts';

function countIn(chunks: Uint8Array[]): number {
  let open = false;
  let events = 0;
  for (const chunk of chunks) {
    const counted = countEventEnds(chunk, open);
    events += counted.events;
    open = counted.open;
  }
  return events;
}

it('counts every event once for any split of the stream', () => {
  const data = fc.stringMatching(/^[a-z{}":\n ]{0,20}$/).filter((text) => !/\n\n|^\n|\n$/.test(text));
  fc.assert(
    fc.property(fc.array(data, { maxLength: 10 }), fc.array(fc.nat(200), { maxLength: 12 }), (events, cuts) => {
      const bytes = Buffer.from(events.map((event) => `data: ${event}\n\n`).join(''));
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      expect(countIn(chunks)).toBe(events.length);
    }),
  );
});

it('does not count an event that has not ended', () => {
  expect(countIn([Buffer.from('data: a\n\ndata: b\n')])).toBe(1);
});

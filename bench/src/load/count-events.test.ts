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

it.each(['\n', '\r\n'])('counts every event once for any split of the stream, with lines that end with %j', (end) => {
  const line = fc.stringMatching(/^[a-z{}": ]{1,10}$/);
  const data = fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join(end));
  fc.assert(
    fc.property(fc.array(data, { maxLength: 10 }), fc.array(fc.nat(200), { maxLength: 12 }), (events, cuts) => {
      const bytes = Buffer.from(events.map((event) => `data: ${event}${end}${end}`).join(''));
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      expect(countIn(chunks)).toBe(events.length);
    }),
  );
});

it('does not count an event that has not ended', () => {
  expect(countIn([Buffer.from('data: a\n\ndata: b\n')])).toBe(1);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PartialArgs } from './partial-args.ts';

function assembled(...pieces: object[]): unknown {
  const partial = new PartialArgs();
  for (const piece of pieces) {
    const problem = partial.add([piece]);
    if (problem !== undefined) return problem;
  }
  return partial.args;
}

test('texts are continued, and other values set', () => {
  expect(
    assembled(
      { jsonPath: '$.location', stringValue: 'New ', willContinue: true },
      { jsonPath: '$.location', stringValue: 'Delhi', willContinue: true },
      { jsonPath: '$.location' },
      { jsonPath: '$.days', numberValue: 3 },
      { jsonPath: '$.metric', boolValue: true },
      { jsonPath: '$.note', nullValue: 'NULL_VALUE' },
    ),
  ).toEqual({ location: 'New Delhi', days: 3, metric: true, note: null });
});

test('objects and lists grow by their paths', () => {
  expect(
    assembled(
      { jsonPath: '$.items[0].name', stringValue: 'a' },
      { jsonPath: '$.items[0].tags[0]', stringValue: 'x' },
      { jsonPath: '$.items[0].tags[1]', stringValue: 'y' },
      { jsonPath: '$.items[1].name', stringValue: 'b' },
      { jsonPath: "$['two words']", stringValue: 'c' },
      { jsonPath: '$["__proto__"].x', numberValue: 1 },
    ),
  ).toEqual(JSON.parse('{"items":[{"name":"a","tags":["x","y"]},{"name":"b"}],"two words":"c","__proto__":{"x":1}}'));
  expect(Object.getPrototypeOf(assembled())).toBe(Object.prototype);
});

test.each(['', 'location', '$', '$.', '$.a[', '$.a[x]', '$[99999999]', `$${'.a'.repeat(65)}`])(
  'a path that leads nowhere is a fault of the upstream: %j',
  (jsonPath) => {
    expect(assembled({ jsonPath, stringValue: 'a' })).toBe('a streamed argument has no valid path');
  },
);

test.each([
  ['a list with gaps', [{ jsonPath: '$.a[2]', stringValue: 'x' }]],
  [
    'a member of a text',
    [
      { jsonPath: '$.a', stringValue: 'x' },
      { jsonPath: '$.a.b', stringValue: 'y' },
    ],
  ],
  [
    'a member of a list',
    [
      { jsonPath: '$.a[0]', stringValue: 'x' },
      { jsonPath: '$.a.b', stringValue: 'y' },
    ],
  ],
])('contradictions are a fault of the upstream: %s', (_, pieces) => {
  expect(assembled(...pieces)).toBe('streamed arguments contradict each other');
});

test('never throws', () => {
  fc.assert(fc.property(fc.array(fc.anything()), (pieces) => void new PartialArgs().add(pieces)));
  fc.assert(fc.property(fc.string(), (path) => void assembled({ jsonPath: `$${path}`, stringValue: 'a' })));
});

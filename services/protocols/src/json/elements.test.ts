import fc from 'fast-check';
import { expect, test } from 'vitest';
import { elementsOf } from './elements.ts';
import { memberOf } from './object.ts';
import { scanObject } from './scan.ts';

function elements(text: string): unknown[] {
  const result = scanObject(Buffer.from(text), { maxDepth: 64, uniqueKeys: true, within: [] });
  if (!result.ok) throw new Error(result.error.message);
  const { object } = result;
  const member = memberOf(object, 'a');
  if (member === undefined) throw new Error('no such member');
  return elementsOf(object, member).map((span): unknown =>
    JSON.parse(object.bytes.toString('utf8', span.start, span.end)),
  );
}

test('finds each element of any array, however it is written', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 3 })), fc.nat({ max: 2 }), (array, indent) => {
      const text = JSON.stringify({ before: '[', a: array, after: [1] }, undefined, indent);
      const { a }: { a: unknown } = JSON.parse(text);
      expect(elements(text)).toEqual(a);
    }),
  );
});

test('finds nothing in an empty array or another value', () => {
  expect(elements('{"a":[ \n ]}')).toEqual([]);
  expect(elements('{"a":{"b":[1,2]}}')).toEqual([]);
});

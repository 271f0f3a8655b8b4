import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLosslessObject } from './lossless.ts';

function again(text: string): string | undefined {
  const object = parseLosslessObject(text);
  return object === undefined ? undefined : JSON.stringify(object);
}

describe('parseLosslessObject', () => {
  test.each([
    '{"id":12345678901234567890}',
    '{"price":1.0,"all":[0.10,-0,1e5,1E-7,2.50]}',
    '{"a":{"b":[{"c":10.00}]},"text":"1.0"}',
    '{"__proto__":{"x":1.0}}',
    '{}',
  ])('is written again unchanged: %s', (text) => {
    expect(again(text)).toBe(text);
  });

  test('numbers that JSON.stringify writes the same are plain numbers', () => {
    expect(parseLosslessObject('{"a":1,"b":1.5,"c":-3}')).toEqual({ a: 1, b: 1.5, c: -3 });
  });

  test.each(['', 'x', '[1.0]', '1.0', 'null', '"a"', '{"a":1.0', '{"a":01.0}'])('is undefined for %j', (text) => {
    expect(parseLosslessObject(text)).toBeUndefined();
  });

  test('rejects what could not be written again', () => {
    expect(parseLosslessObject(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)).toBeUndefined();
    expect(parseLosslessObject(`{"a":1.0,"b":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`)).toBeUndefined();
  });

  test('accepts many shallow values', () => {
    const text = JSON.stringify({ a: Array.from({ length: 1_000 }, () => [{}]) });
    expect(again(text)).toBe(text);
  });

  test('any object comes back', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const text = JSON.stringify(object);
        expect(again(text)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inputObject, inputText } from './tool-input.ts';

test('an object keeps its numbers and its order', () => {
  const text = '{"z":12345678901234567890,"a":1.0,"m":{"k":[1e3]}}';
  expect(inputText(inputObject(text))).toBe(text);
});

test('no input is an empty object', () => {
  expect(inputObject('')).toEqual({});
  expect(inputObject(' \n')).toEqual({});
  expect(inputText({})).toBe('{}');
});

test.each(['{"city": "Par', 'Paris', '[1]', 'null', '7'])('carries %j, which is no object, as a text', (text) => {
  expect(inputObject(text)).toEqual({ INVALID_JSON: text });
  expect(inputText(inputObject(text))).toBe(text);
});

test('any text survives, but for white space', () => {
  const text = fc.oneof(
    fc.string(),
    fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(text, (input) => {
      const object = inputObject(input);
      expect(inputObject(inputText(object))).toEqual(object);
    }),
  );
});

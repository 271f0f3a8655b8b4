import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inputObject, inputText, providerToolId } from './tool-call.ts';

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

test('keeps any text, except for white space', () => {
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

const RULE = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 40 };

test('keeps a valid id', () => {
  expect(providerToolId('toolu_01A-b', RULE)).toBe('toolu_01A-b');
});

test('replaces any other id by a valid one, always the same', () => {
  fc.assert(
    fc.property(fc.string(), (id) => {
      const given = providerToolId(id, RULE);
      expect(given).toMatch(RULE.pattern);
      expect(given.length).toBeLessThanOrEqual(RULE.maxLength);
      expect(providerToolId(id, RULE)).toBe(given);
    }),
  );
});

test('ids that differ stay different', () => {
  const ids = ['functions.get:0', 'functions.get:1', 'x'.repeat(41), 'x'.repeat(42), ''];
  expect(new Set(ids.map((id) => providerToolId(id, RULE))).size).toBe(ids.length);
});

import { describe, expect, test } from 'vitest';
import { hasField, parseFieldPath, withElement, withoutField } from './field-path.ts';

describe('a field path', () => {
  test.each([
    ['a', '{ "a":1, "b":1.0 }', '{ "b":1.0 }'],
    ['a.b', '{"a": {"b":[1], "c":2.50}}', '{"a": {"c":2.50}}'],
    ['a[].b', '{"a":[ {"b":1,"c":1e2}, 7,{"c":3} ],"d":1}', '{"a":[ {"c":1e2}, 7,{"c":3} ],"d":1}'],
    ['a[].b[].c.d', '{"a":[{"b":[{"c":{"d":1,"e":2}}]},{"b":"text"}]}', '{"a":[{"b":[{"c":{"e":2}}]},{"b":"text"}]}'],
  ])('%s is removed from %s, and other bytes stay', (text, before, after) => {
    const path = parseFieldPath(text);
    expect(hasField(JSON.parse(before), path)).toBe(true);
    expect(withoutField(Buffer.from(before), path).toString()).toBe(after);
    expect(hasField(JSON.parse(after), path)).toBe(false);
  });

  test.each([
    ['a', '{"b":{"a":1}}'],
    ['a.b', '{"a":[{"b":1}]}'],
    ['a[].b', '{"a":{"b":1}}'],
    ['a', 'no object'],
  ])('%s is not in %s', (text, json) => {
    const path = parseFieldPath(text);
    if (json.startsWith('{')) expect(hasField(JSON.parse(json), path)).toBe(false);
    expect(withoutField(Buffer.from(json), path).toString()).toBe(json);
  });
});

test('an element is added to a list, and other bytes stay', () => {
  const bytes = Buffer.from('{"b":1.0, "a": [ {"é":"]"} ] }');
  expect(withElement(bytes, 'a', '{"c":2}').toString()).toBe('{"b":1.0, "a": [ {"é":"]"} ,{"c":2}] }');
  expect(withElement(bytes, 'b', '{"c":2}')).toBe(bytes);
});

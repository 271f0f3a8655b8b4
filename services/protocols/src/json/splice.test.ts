import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanObject } from './scan.ts';
import { type Edit, splice } from './splice.ts';

function edited(text: string, edits: readonly Edit[], within: readonly string[] = ['o']): string {
  const result = scanObject(Buffer.from(text), { maxDepth: 64, uniqueKeys: true, within });
  if (!result.ok) throw new Error(result.error.message);
  return splice(result.object, edits).toString();
}

describe('splice', () => {
  test('replaces a value and no other byte', () => {
    expect(edited('{ "model" : "é" ,\n "t": 1.50, "x":[ ] }', [{ op: 'set', path: ['model'], json: '"b"' }])).toBe(
      '{ "model" : "b" ,\n "t": 1.50, "x":[ ] }',
    );
  });

  test('appends a missing member', () => {
    const edit: Edit = { op: 'set', path: ['a'], json: '1' };
    expect(edited('{}', [edit])).toBe('{"a":1}');
    expect(edited('{ "b" : 2 }', [edit])).toBe('{ "b" : 2,"a":1 }');
  });

  test.each([
    ['{"a":1,"b":2,"c":3}', ['a'], '{"b":2,"c":3}'],
    ['{"a":1,"b":2,"c":3}', ['b'], '{"a":1,"c":3}'],
    ['{"a":1,"b":2,"c":3}', ['c'], '{"a":1,"b":2}'],
    ['{"a":1,"b":2,"c":3}', ['a', 'b'], '{"c":3}'],
    ['{"a":1,"b":2,"c":3}', ['b', 'c'], '{"a":1}'],
    ['{"a":1,"b":2,"c":3}', ['a', 'c'], '{"b":2}'],
    ['{ "a" : 1 }', ['a'], '{  }'],
    ['{"a":1,"b":2,"c":3}', ['a', 'b', 'c'], '{}'],
    ['{"a":1}', ['z'], '{"a":1}'],
  ])('removes members from %s: %j', (text, keys, expected) => {
    const edits = keys.map((key): Edit => ({ op: 'remove', path: [key] }));
    expect(edited(text, edits)).toBe(expected);
  });

  test('sets a member of a member: in place, appended, and with the object created', () => {
    const edit: Edit = { op: 'set', path: ['o', 'x'], json: 'true' };
    expect(edited('{"o": {"x" :false,"y":1}}', [edit])).toBe('{"o": {"x" :true,"y":1}}');
    expect(edited('{"o":{"y":1 }}', [edit])).toBe('{"o":{"y":1,"x":true }}');
    expect(edited('{"o":{ }}', [edit])).toBe('{"o":{ "x":true}}');
    expect(edited('{"o":null,"p":1}', [edit])).toBe('{"o":{"x":true},"p":1}');
    expect(edited('{}', [edit])).toBe('{"o":{"x":true}}');
  });

  test('does several edits of one inner object at once', () => {
    const edits: Edit[] = [
      { op: 'set', path: ['o', 'x'], json: '1' },
      { op: 'set', path: ['o', 'y'], json: '2' },
      { op: 'remove', path: ['o', 'z'] },
    ];
    expect(edited('{}', edits)).toBe('{"o":{"x":1,"y":2}}');
    expect(edited('{"o":{"z":0}}', edits)).toBe('{"o":{"x":1,"y":2}}');
  });

  test('removes and appends at the same end', () => {
    const edits: Edit[] = [
      { op: 'remove', path: ['b'] },
      { op: 'set', path: ['c'], json: '3' },
    ];
    expect(edited('{"a":1,"b":2}', edits)).toBe('{"a":1,"c":3}');
    expect(edited('{"b":2}', edits)).toBe('{"c":3}');
  });

  test('returns the same bytes if nothing changes', () => {
    const result = scanObject(Buffer.from('{"a":1}'), { maxDepth: 64, uniqueKeys: true, within: [] });
    if (!result.ok) throw new Error(result.error.message);
    expect(splice(result.object, [{ op: 'remove', path: ['b'] }])).toBe(result.object.bytes);
    expect(splice(result.object, [])).toBe(result.object.bytes);
  });

  test('creates members named like those of prototypes as plain members', () => {
    const text = edited('{}', [{ op: 'set', path: ['__proto__'], json: '{"a":1}' }]);
    expect(text).toBe('{"__proto__":{"a":1}}');
  });

  test('any edits of any object: the result parses to the edited value, and the members not named keep their bytes', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'é"');
    const edit = fc.oneof(
      fc.record({ op: fc.constant('set' as const), path: fc.tuple(key), json: fc.json() }),
      fc.record({ op: fc.constant('remove' as const), path: fc.tuple(key) }),
      fc.record({ op: fc.constant('set' as const), path: fc.tuple(fc.constant('o'), key), json: fc.json() }),
      fc.record({ op: fc.constant('remove' as const), path: fc.tuple(fc.constant('o'), key) }),
    );
    const edits = fc.uniqueArray(edit, { maxLength: 6, selector: (one) => one.path.join('\0') });
    const inner = fc.dictionary(key, fc.jsonValue({ maxDepth: 1 }), { noNullPrototype: true });
    const outer = fc.tuple(inner, fc.option(fc.oneof(inner, fc.jsonValue({ maxDepth: 1 })), { nil: undefined }));
    const space = fc.nat({ max: 2 });
    fc.assert(
      fc.property(outer, edits, space, ([rest, o], list, indent) => {
        const text = JSON.stringify(o === undefined ? rest : { ...rest, o }, undefined, indent);
        const value: Record<string, unknown> = JSON.parse(text);
        const result = edited(text, list);
        const parsed: unknown = JSON.parse(result);
        expect(parsed).toEqual(applied(value, list));
        for (const untouched of Object.keys(value).filter((name) => list.every((one) => one.path[0] !== name))) {
          expect(memberText(result, untouched)).toBe(memberText(text, untouched));
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

function memberText(text: string, key: string): string | undefined {
  const result = scanObject(Buffer.from(text), { maxDepth: 64, uniqueKeys: true, within: [] });
  if (!result.ok) throw new Error(result.error.message);
  const member = result.object.members.find((one) => one.key === key);
  return result.object.bytes.toString('utf8', member?.keyStart, member?.valueEnd);
}

function applied(value: Readonly<Record<string, unknown>>, edits: readonly Edit[]): unknown {
  const result: Record<string, unknown> = structuredClone(value);
  for (const edit of edits) {
    const [key, innerKey] = edit.path;
    const json: unknown = edit.op === 'set' ? JSON.parse(edit.json) : undefined;
    if (innerKey === undefined) {
      if (edit.op === 'set') result[key] = json;
      else delete result[key];
      continue;
    }
    const old = result[key];
    const isObject = typeof old === 'object' && old !== null && !Array.isArray(old);
    const inner: Record<string, unknown> = isObject ? { ...old } : {};
    if (edit.op === 'set') inner[innerKey] = json;
    else if (isObject) delete inner[innerKey];
    if (edit.op === 'set' || isObject) result[key] = inner;
  }
  return result;
}

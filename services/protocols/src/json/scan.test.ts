import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type JsonObject, memberOf, type ScanLimits, type ScanResult } from './object.ts';
import { scanObject } from './scan.ts';

const LIMITS: ScanLimits = { maxDepth: 64, uniqueKeys: true, within: [] };

function scan(text: string | Buffer, limits: Partial<ScanLimits> = {}): ScanResult {
  return scanObject(Buffer.from(text), { ...LIMITS, ...limits });
}

function scanned(text: string, limits: Partial<ScanLimits> = {}): JsonObject {
  const result = scan(text, limits);
  if (!result.ok) throw new Error(result.error.message);
  return result.object;
}

function errorOf(text: string | Buffer, limits: Partial<ScanLimits> = {}) {
  const result = scan(text, limits);
  return result.ok ? undefined : result.error;
}

/** The value of JSON.parse, or undefined if it rejects the bytes. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Spellings of JSON that JSON.stringify would not choose. */
const spelled = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom('', ' ', '\n\t', '\r\n'), fc.boolean())
  .map(([value, space, isAscii]) => {
    const text = JSON.stringify(value, undefined, space.trim() === '' ? space.length : 0);
    const ascii = [...text].map((c) => (c > '\x7e' && c.length === 1 ? `\\u${hex(c)}` : c)).join('');
    return space + (isAscii ? ascii : text) + space;
  });

const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(4, '0');

describe('scanObject', () => {
  test('finds each top-level member and leaves white space out of its value', () => {
    const text = ' { "model" : "m" , "n":-1.5e+3,"list":[ 1, {"a":2} ],"none":null,"yes":true,"no":false,"o":{} } ';
    const object = scanned(text);
    expect(text.slice(object.start, object.end)).toBe(text.trim());
    expect(object.members.map((m) => [m.key, m.kind, text.slice(m.valueStart, m.valueEnd)])).toEqual([
      ['model', 'string', '"m"'],
      ['n', 'number', '-1.5e+3'],
      ['list', 'array', '[ 1, {"a":2} ]'],
      ['none', 'null', 'null'],
      ['yes', 'true', 'true'],
      ['no', 'false', 'false'],
      ['o', 'object', '{}'],
    ]);
    expect(object.members.map((m) => text[m.keyStart])).toEqual(Array.from({ length: 7 }, () => '"'));
  });

  test('records the members of named members only', () => {
    const object = scanned('{"usage":{"a":1,"b":{"c":2}},"other":{"d":3},"late":[{}]}', { within: ['usage', 'late'] });
    expect(memberOf(object, 'usage')?.members?.map((m) => m.key)).toEqual(['a', 'b']);
    expect(memberOf(object, 'other')?.members).toBeUndefined();
    expect(memberOf(object, 'late')?.members).toBeUndefined();
  });

  test('accepts what JSON.parse accepts and finds the same members, for any JSON', () => {
    fc.assert(
      fc.property(spelled, (text) => {
        const bytes = Buffer.from(text);
        const value = parse(bytes);
        const result = scanObject(bytes, LIMITS);
        expect(result.ok).toBe(isObject(value));
        if (!result.ok) {
          expect(result.error.kind).toBe('not_object');
          return;
        }
        const found = result.object.members.map((m) => [m.key, parse(bytes.subarray(m.valueStart, m.valueEnd))]);
        expect(Object.fromEntries(found)).toEqual(value);
      }),
    );
  });

  test('agrees with JSON.parse on damaged texts', () => {
    const damage = fc.record({
      at: fc.nat(),
      remove: fc.nat({ max: 2 }),
      insert: fc.uint8Array({ maxLength: 3 }),
      token: fc.constantFrom(
        '',
        '"',
        '\\',
        ',',
        ':',
        '{',
        '}',
        '[',
        ']',
        '0',
        '-',
        '.',
        'e',
        '\\u12',
        'tru',
        ' ',
        '\n',
      ),
    });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), damage, (value, { at, remove, insert, token }) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const cut = at % (bytes.length + 1);
        const damaged = Buffer.concat([
          bytes.subarray(0, cut),
          Buffer.from(token),
          insert,
          bytes.subarray(cut + remove),
        ]);
        const result = scanObject(damaged, { ...LIMITS, uniqueKeys: false });
        expect(result.ok).toBe(isObject(parse(damaged)));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['', 'empty'],
    [' \n ', 'empty'],
    ['[1]', 'not_object'],
    ['"text"', 'not_object'],
    ['null', 'not_object'],
    ['12', 'not_object'],
    ['{', 'syntax'],
    ['{"a":1,}', 'syntax'],
    ['{"a":1}{', 'syntax'],
    ['{"a":01}', 'syntax'],
    ['{"a":+1}', 'syntax'],
    ['{"a":.5}', 'syntax'],
    ['{"a":1.}', 'syntax'],
    ['{"a":1e}', 'syntax'],
    ['{"a":NaN}', 'syntax'],
    ["{'a':1}", 'syntax'],
    ['{"a":"\n"}', 'syntax'],
    ['{"a":"\\x41"}', 'syntax'],
    ['{"a":"\\u00zz"}', 'syntax'],
    ['{"a":"open', 'syntax'],
    ['{"a":1/*c*/}', 'syntax'],
    ['\ufeff{"a":1}', 'syntax'],
    ['hello', 'syntax'],
    ['[1', 'syntax'],
  ])('rejects %j as %s', (text, kind) => {
    expect(errorOf(text)?.kind).toBe(kind);
  });

  test('reports where the text is malformed', () => {
    expect(errorOf('{"messages":[{"role":"user"},{"role":}]}')).toEqual({
      kind: 'syntax',
      message: 'messages[1].role: malformed JSON: expected a value (byte 37)',
      offset: 37,
      path: 'messages[1].role',
    });
  });

  test('rejects bytes that are not UTF-8', () => {
    for (const bad of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf5, 0x80, 0x80, 0x80]]) {
      const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bad), Buffer.from('"}')]);
      expect(errorOf(body)).toMatchObject({
        kind: 'syntax',
        message: 'malformed JSON: the body is not valid UTF-8 (byte 0)',
      });
    }
  });

  test('rejects nesting beyond the limit, not at the limit', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(scan(nested(64)).ok).toBe(true);
    expect(errorOf(nested(65))).toMatchObject({ kind: 'too_deep', path: `a${'[0]'.repeat(63)}` });
    expect(errorOf('{"a":'.repeat(100_000))?.kind).toBe('too_deep');
    expect(errorOf(`{"a":${'['.repeat(100_000)}`)?.kind).toBe('too_deep');
  });

  test.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"a":1,"\\u0061":1}', 'a'],
    ['{"\\u0061":1,"a":1}', 'a'],
    ['{"x":{"é":1,"\\u00E9":2}}', 'x["é"]'],
    ['{"messages":[{"role":"user"},{"role":"a","content":"","role":"b"}]}', 'messages[1].role'],
    ['{"a":{"":0,"":1}}', 'a[""]'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ])('rejects the duplicate key in %s', (text, path) => {
    expect(errorOf(text)).toMatchObject({ kind: 'duplicate_key', path });
    expect(scan(text, { uniqueKeys: false }).ok).toBe(true);
  });

  test('distinguishes keys that only look alike', () => {
    expect(scan('{"a":1,"A":2,"a ":3,"\\ud800":4,"\\ud801":5,"toString":6,"constructor":7,"__proto__":8}').ok).toBe(
      true,
    );
  });

  test('finds a duplicate among any number of keys, however escaped', () => {
    const keys = fc.uniqueArray(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(keys, fc.nat(), fc.boolean(), (names, pick, isEscaped) => {
        const again = names[pick % names.length] ?? '';
        const aliases = isEscaped
          ? [...Array(again.length).keys()].map((i) => `\\u${hex(again.charAt(i))}`).join('')
          : again;
        const members = names.map((name) => `${JSON.stringify(name)}:0`).join(',');
        const last = isEscaped ? `"${aliases}"` : JSON.stringify(again);
        expect(scan(`{${members}}`).ok).toBe(true);
        expect(errorOf(`{${members},${last}:0}`)?.kind).toBe('duplicate_key');
      }),
    );
  });

  test('accepts numbers of any size and lone surrogates, which the grammar allows', () => {
    expect(scan(`{"a":${'9'.repeat(400)},"b":1e999,"c":-0,"d":"\\ud800","e":"\\udc00\\ud800"}`).ok).toBe(true);
  });

  test('finds the last of two members with one key if duplicates are allowed, as JSON.parse does', () => {
    const text = '{"model":"a","model":"b"}';
    const member = memberOf(scanned(text, { uniqueKeys: false }), 'model');
    expect(text.slice(member?.valueStart, member?.valueEnd)).toBe('"b"');
  });
});

describe('a limit of values', () => {
  const limits: ScanLimits = { ...LIMITS, maxValues: 4 };

  test('counts members and elements at every depth', () => {
    expect(scanObject(Buffer.from('{"a":[1,2,3]}'), limits).ok).toBe(true);
    for (const text of ['{"a":[1,2,3,4]}', '{"a":1,"b":2,"c":3,"d":4,"e":5}', '{"a":{"b":{"c":[1,2]}}}']) {
      const result = scanObject(Buffer.from(text), limits);
      expect(result).toMatchObject({ ok: false, error: { kind: 'too_many' } });
    }
  });
});

describe('a limit of members', () => {
  const limits: ScanLimits = { ...LIMITS, maxMembers: 2 };

  test('is that of each object', () => {
    expect(scanObject(Buffer.from('{"a":{"b":1,"c":2},"d":[{"e":1,"f":2},{}]}'), limits).ok).toBe(true);
    for (const [text, path] of [
      ['{"a":1,"b":2,"c":3}', ''],
      ['{"a":[{},{"b":1,"c":2,"d":3}]}', 'a[1]'],
    ] as const) {
      expect(scanObject(Buffer.from(text), limits)).toMatchObject({ ok: false, error: { kind: 'too_many', path } });
    }
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventJson } from './event-json.ts';

const VARYING = new Set(['text', 'count', 'created']);

/** What a stream's events are parsed to, one after the other. Values are copied: the next event may reuse one. */
function parseAll(texts: readonly (string | Buffer)[], json = new EventJson(VARYING)): unknown[] {
  return texts.map((text) => structuredClone(json.parse(Buffer.from(text))));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same objects, one after the other, are reused for events that are alike. */
function reuses(texts: readonly string[]): boolean[] {
  const json = new EventJson(VARYING);
  let last: unknown;
  return texts.map((text) => {
    const value = json.parse(Buffer.from(text));
    const isSame = value === last;
    last = value;
    return isSame;
  });
}

const event = (text: string, count = 7) =>
  JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { text }, finish: null }], count, end: true });

describe('EventJson', () => {
  test('reuses the value of events that differ only in their texts and counts', () => {
    const texts = [event('a'), event('b', 8), event('', 0), event('é 🌍', 123_456), event('d')];
    expect(reuses(texts)).toEqual([false, false, true, true, true]);
    expect(parseAll(texts)).toEqual(texts.map(parsed));
  });

  test('reuses it for texts with escapes', () => {
    const texts = [event('a'), event('b'), event('{"c": "d"}'), event('\n'), event('\\'), event('e\\"')];
    expect(reuses(texts)).toEqual([false, false, true, true, true, true]);
    expect(parseAll(texts)).toEqual(texts.map(parsed));
  });

  test('reuses it after an event of another kind', () => {
    const texts = [event('a'), event('b'), event('c'), '{"type":"ping"}', event('d')];
    expect(parseAll(texts)).toEqual(texts.map(parsed));
  });

  test('compares only events that follow each other, so that others between them do not replace what is common', () => {
    const json = new EventJson(VARYING);
    const ping = (count: number) => `{"type":"ping","count":${count}}`;
    const texts = [event('a'), event('b'), ping(1), event('c'), ping(2), event('d')];
    const values = texts.map((text) => json.parse(Buffer.from(text)));
    expect(values[3]).toBe(values[1]);
    expect(values[5]).toBe(values[1]);
    expect(parseAll(texts)).toEqual(texts.map(parsed));
  });

  test('accepts white space that differs', () => {
    const texts = ['{"text":"a"}', '{"text":"b" }', '{"text":"c"   }', ' {"text":"d"}', '{"text":"e"}'];
    expect(reuses(texts.slice(0, 3))).toEqual([false, false, true]);
    expect(parseAll(texts)).toEqual(texts.map(parsed));
  });

  test.each([
    ['another member differs', '{"text":"c","x":2}'],
    ['a text has an invalid escape', '{"text":"c\\x","x":1}'],
    ['a text ends within an escape', '{"text":"c\\","x":1}'],
    ['a text has a control character', '{"text":"c\u0001","x":1}'],
    ['a text has no end', '{"text":"c'],
    ['a text is no text', '{"text":5,"x":1}'],
    ['something follows', '{"text":"c","x":1}}'],
    ['something is missing', '{"text":"c","x":1'],
    ['a member follows', '{"text":"c","x":1,"text":"d"}'],
    ['there is a member with the same name', '{"text":"c","text":"d","x":1}'],
  ])('parses an event completely where %s', (_, text) => {
    const texts = ['{"text":"a","x":1}', '{"text":"b","x":1}', text, '{"text":"d","x":1}', text];
    expect(parseAll(texts)).toEqual(texts.map(parsed));
  });

  test.each([
    ['a count has a fraction', ['{"count":1}', '{"count":2}', '{"count":3.5}']],
    ['a count is too large', ['{"count":1}', '{"count":2}', '{"count":12345678901234567890}']],
    ['a count begins with a zero', ['{"count":1}', '{"count":2}', '{"count":03}']],
    ['members are repeated', ['{"text":"a","text":"b"}', '{"text":"b","text":"b"}', '{"text":"c","text":"b"}']],
    ['objects are repeated', ['{"a":{"text":"a"},"a":{"text":"b"}}', '{"a":{"text":"b"},"a":{"text":"b"}}']],
    ['a key has an escape', ['{"\\u0074ext":"a"}', '{"\\u0074ext":"b"}', '{"\\u0074ext":"c"}']],
    ['a key is __proto__', ['{"__proto__":{"text":"a"}}', '{"__proto__":{"text":"b"}}']],
    ['the text is an element', ['{"text":["a"]}', '{"text":["b"]}', '{"text":["c"]}']],
  ])('parses events completely where %s', (_, texts) => {
    expect(parseAll([...texts, ...texts])).toEqual([...texts, ...texts].map(parsed));
  });

  test('returns nothing for bytes that are not UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('{"text":"'), Buffer.of(0xff), Buffer.from('"}')]);
    expect(parseAll(['{"text":"a"}', '{"text":"b"}', bytes])).toEqual([{ text: 'a' }, { text: 'b' }, undefined]);
    expect(parseAll(['{"text":"a"}', '{"text":"b"}', '{"text":"\ufffd"}'])[2]).toEqual({ text: '\ufffd' });
  });

  test('parses any sequence of events as JSON.parse does', () => {
    const key = fc.constantFrom('text', 'count', 'a', '__proto__', '\\u0061', '0');
    const scalar = fc.oneof(
      fc
        .string({ unit: fc.constantFrom('a', 'é', '"', '\\', '\n', '{', '\ud800', '\ufffd') })
        .map((s) => JSON.stringify(s)),
      fc.constantFrom('0', '7', '42', '-1', '1.5', '1e3', 'true', 'null', '12345678901234567'),
    );
    const space = fc.constantFrom('', '', '', ' ', '\t');
    const value = fc.letrec<{ value: string; object: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        scalar,
        tie('object'),
        tie('value').map((one) => `[${one}]`),
      ),
      object: fc
        .array(fc.tuple(space, key, space, tie('value')), { maxLength: 3 })
        .map(
          (members) =>
            `{${members.map(([before, name, after, one]) => `${before}"${name}":${after}${one}`).join(',')}}`,
        ),
    })).object;
    // Few different events, so that many are alike.
    const broken = value.map((text) => text.slice(0, -1));
    const stream = fc
      .tuple(
        fc.array(fc.oneof({ weight: 9, arbitrary: value }, { weight: 1, arbitrary: broken }), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.array(fc.tuple(fc.nat(), fc.constantFrom('x', 'yz', '', '\\n', '8')), { maxLength: 20 }),
      )
      .map(([events, picks]) =>
        picks.map(([pick, word]) =>
          (events[pick % events.length] ?? '').replace(/"text":(?:"[^"\\]*"|\d)/, `"text":"${word}"`),
        ),
      );
    fc.assert(
      fc.property(stream, (texts) => {
        expect(parseAll(texts)).toEqual(texts.map(parsed));
      }),
      { numRuns: 3_000 },
    );
  });
});

import { expect, test } from 'vitest';
import { z } from 'zod';
import { runToEnd } from '../lists/stages.ts';
import { findMismatch } from '../request/parse-json-request.ts';
import { type Offsets, piecesOf } from './pieces.ts';

const part = z.looseObject({ type: z.literal('text'), text: z.string() });
const message = z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(part).min(1)]) });
const schema = z.looseObject({ model: z.string(), messages: z.array(message).min(1), tags: z.array(z.string()) });

const TEXT = { type: 'text', text: 'x' };

function list<T>(n: number, element: T): T[] {
  return Array.from({ length: n }, () => element);
}

/** Messages and parts by the hundred, and one message of many parts among them. */
function request() {
  const messages = list(3_000, { role: 'user', content: list(2, TEXT) });
  messages[1_234] = { role: 'user', content: list(5_000, TEXT) };
  return { model: 'm', messages, tags: list(4_000, 'tag') };
}

/** JSON values, counted in a way of its own. */
function valuesIn(value: unknown): number {
  return (
    JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'object' ? inner : 1)).match(/[[{1]/g)?.length ??
    0
  );
}

test('a small value is its own only piece', () => {
  const value = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
  const pieces = [...piecesOf(value, new WeakMap())];
  expect(pieces).toHaveLength(1);
  expect(pieces[0]).toBe(value);
});

test('pieces are small, have the shape of the value, and cover all of it', () => {
  const value = request();
  const offsets: Offsets = new WeakMap();
  const seen = new Set<string>();
  for (const piece of piecesOf(value, offsets)) {
    const { model, messages, tags } = schema.parse(piece);
    expect(model).toBe('m');
    // The first stretches of the lists that are not its own come with each piece.
    expect(valuesIn(piece)).toBeLessThan(3 * 2_000);
    expect(tags.length).toBeGreaterThan(0);
    expect(messages.length).toBeGreaterThan(0);
    const given = z.looseObject({ messages: z.custom<object[]>(), tags: z.custom<object>() }).parse(piece);
    for (const [i, one] of given.messages.entries()) {
      const index = i + (offsets.get(given.messages) ?? 0);
      const { content } = z.looseObject({ content: z.custom<object[]>() }).parse(one);
      for (let j = 0; j < content.length; j++) seen.add(`${index}.${j + (offsets.get(content) ?? 0)}`);
    }
    for (let i = 0; i < tags.length; i++) seen.add(`tag ${i + (offsets.get(given.tags) ?? 0)}`);
  }
  expect(seen.size).toBe(2_999 * 2 + 5_000 + 4_000);
});

test.each<[string, (value: ReturnType<typeof request>) => void]>([
  ['model', (value) => Object.assign(value, { model: 1 })],
  ['messages[2500].role', (value) => value.messages.splice(2_500, 1, Object.assign({ content: 'x' }))],
  [
    'messages[1234].content[4321].text',
    (value) => value.messages[1_234]?.content.splice(4_321, 1, Object.assign({ type: 'text' })),
  ],
  ['tags[3999]', (value) => value.tags.splice(3_999, 1, Object.assign({}))],
])('a mistake in a piece has its path in the complete value: %s', (path, spoil) => {
  const value = request();
  expect(runToEnd(findMismatch(value, schema))).toBeUndefined();
  spoil(value);
  expect(runToEnd(findMismatch(value, schema))?.path).toBe(path);
});

test('a value is checked in as many stages as it has pieces', () => {
  let stages = 0;
  const judging = findMismatch(request(), schema);
  while (judging.next().done !== true) stages++;
  expect(stages).toBeGreaterThanOrEqual(valuesIn(request()) / 2_000);
});

test('cutting a deep value takes work in proportion to its size', () => {
  const leaf = list(5_000, 1);
  let deep: unknown = { a: leaf, b: leaf };
  for (let i = 0; i < 60; i++) deep = { a: deep, b: leaf };
  let pieces = 0;
  for (const _ of piecesOf(deep, new WeakMap())) pieces++;
  expect(pieces).toBeLessThan(4 * 62);
});

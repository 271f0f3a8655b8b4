import { isRecord, type JsonRecord } from './record.ts';

/** A piece of a value checked by a schema has at most this many JSON values, if the value can be cut. */
export const PIECE_VALUES = 2_000;

/** Start of each piece of a list within the complete list. A list that is missing here was not cut. */
export type Offsets = WeakMap<object, number>;

/**
 * Cuts a large value into pieces that match a schema if and only if the value does: each piece has the shape of the
 * value, with all its small members and a range of its long lists. This holds for schemas that check the elements of a
 * list one by one and require at most that a list is not empty. A small value is its own only piece.
 *
 * @param offsets receives the start of each range
 */
export function* piecesOf(value: unknown, offsets: Offsets): Generator<unknown, void> {
  const large = new Set<unknown>();
  weigh(value, large);
  yield* cut(value, large, offsets);
}

/** Counts the JSON values in a value, including itself, and collects those too large for a piece. */
function weigh(value: unknown, large: Set<unknown>): number {
  if (typeof value !== 'object' || value === null) return 1;
  let values = 1;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) values += weigh(inner, large);
  if (values > PIECE_VALUES) large.add(value);
  return values;
}

function* cut(value: unknown, large: Set<unknown>, offsets: Offsets): Generator<unknown, void> {
  if (!large.has(value)) yield value;
  else if (Array.isArray(value)) yield* cutList(value, large, offsets);
  else if (isRecord(value)) yield* cutRecord(value, large, offsets);
}

function* cutList(list: readonly unknown[], large: Set<unknown>, offsets: Offsets): Generator<unknown, void> {
  let start = 0;
  let values = 0;
  const range = (end: number) => {
    const piece = list.slice(start, end);
    offsets.set(piece, start);
    return piece;
  };
  for (const [i, element] of list.entries()) {
    const isLarge = large.has(element);
    const more = isLarge ? PIECE_VALUES : weigh(element, large);
    if (values + more > PIECE_VALUES && i > start) {
      yield range(i);
      start = i;
      values = 0;
    }
    values += more;
    if (!isLarge) continue;
    for (const part of cut(element, large, offsets)) {
      const piece = [part];
      offsets.set(piece, i);
      yield piece;
    }
    start = i + 1;
    values = 0;
  }
  if (start < list.length) yield range(list.length);
}

function* cutRecord(record: JsonRecord, large: Set<unknown>, offsets: Offsets): Generator<unknown, void> {
  const shortened: Record<string, unknown> = { ...record };
  const rests: [string, Generator<unknown, void>][] = [];
  let small = 0;
  for (const [key, value] of Object.entries(record)) {
    if (!large.has(value)) {
      small += weigh(value, large);
      continue;
    }
    const pieces = cut(value, large, offsets);
    const first = pieces.next();
    if (first.done !== true) shortened[key] = first.value;
    rests.push([key, pieces]);
  }
  // Every piece repeats the small members, so these must be few.
  if (small > PIECE_VALUES) {
    yield record;
    return;
  }
  yield shortened;
  for (const [key, pieces] of rests) {
    for (const piece of pieces) yield { ...shortened, [key]: piece };
  }
}

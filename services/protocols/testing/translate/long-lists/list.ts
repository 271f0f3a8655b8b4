import type { JsonRecord } from '../../../src/json/record.ts';

/** Requests of one protocol by the list in them that is long: each makes a request whose list has `n` elements. */
export type LongLists = Readonly<Record<string, (n: number) => JsonRecord>>;

export function times<T>(n: number, make: (index: number) => T): T[] {
  return Array.from({ length: n }, (_, index) => make(index));
}

/** An object of `n` members. */
export function members(n: number, value: (index: number) => unknown): JsonRecord {
  return Object.fromEntries(times(n, (i) => [`key_${i}`, value(i)]));
}

/** A JSON Schema of an object with `n` properties, all of them required. */
export function wideSchema(n: number): JsonRecord {
  return {
    type: 'object',
    properties: members(n, () => ({ type: 'string' })),
    required: times(n, (i) => `key_${i}`),
    additionalProperties: false,
  };
}

/**
 * The text of a Postgres array of values that never need quoting: UUIDs, numbers, booleans and labels of enums. Much
 * cheaper than the array encoding of the Postgres client, which quotes every value; a settlement batch has thousands.
 */
export function arrayText(values: readonly (string | number | bigint | boolean)[]): string {
  return `{${values.join(',')}}`;
}

/** As arrayText, with texts that may need quoting. */
export function quotedArrayText(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** The values of a Postgres array that need no quoting; none for null. */
export function arrayOfText(text: string | null): string[] {
  return text === null || text === '{}' ? [] : text.slice(1, -1).split(',');
}

/**
 * A map by two ids, as nested maps. Much cheaper in a settlement, with lookups for each of thousands of charges, than a
 * concatenated key.
 */
export class PairMap<Value> {
  readonly #outer = new Map<string, Map<string, Value>>();

  get(first: string, second: string): Value | undefined {
    return this.#outer.get(first)?.get(second);
  }

  set(first: string, second: string, value: Value): void {
    const inner = this.#outer.get(first);
    if (inner === undefined) this.#outer.set(first, new Map([[second, value]]));
    else inner.set(second, value);
  }

  /** The values in insertion order of their first ids, and within those of their second ids. */
  values(): Value[] {
    return [...this.#outer.values()].flatMap((inner) => [...inner.values()]);
  }
}

/**
 * A map by two ids, one within the other. Much cheaper in a settlement, which looks things up for each of thousands of
 * charges, than to make one text of both each time.
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

  /** The values in the order their first ids, and within them their second ids, came in. */
  values(): Value[] {
    return [...this.#outer.values()].flatMap((inner) => [...inner.values()]);
  }
}

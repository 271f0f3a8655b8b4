import { dropOldest } from '../drop-oldest.ts';

/** A bounded memory of values that are good for a while; the longest untouched goes first. */
export class Recent<Value> {
  readonly #most: number;
  readonly #entries = new Map<string, { value: Value; untilMs: number }>();

  constructor(most: number) {
    this.#most = most;
  }

  get(name: string, nowMs: number): Value | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    this.#entries.delete(name);
    if (entry.untilMs <= nowMs) return undefined;
    this.#entries.set(name, entry);
    return entry.value;
  }

  set(name: string, value: Value, untilMs: number): void {
    this.#entries.delete(name);
    this.#entries.set(name, { value, untilMs });
    if (this.#entries.size > this.#most) dropOldest(this.#entries);
  }

  get size(): number {
    return this.#entries.size;
  }
}

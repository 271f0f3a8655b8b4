/** Objects by id, in the order of their creation. Forgets the oldest beyond its limit. */
export class Collection<T extends { id: string }> {
  readonly #objects = new Map<string, T>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  add(object: T): T {
    this.#objects.set(object.id, object);
    if (this.#objects.size > this.#max) {
      const oldest = this.#objects.keys().next();
      if (!oldest.done) this.#objects.delete(oldest.value);
    }
    return object;
  }

  get(id: string): T | undefined {
    return this.#objects.get(id);
  }

  /** Oldest first. */
  all(): T[] {
    return [...this.#objects.values()];
  }

  find(matches: (object: T) => boolean): T | undefined {
    for (const object of this.#objects.values()) if (matches(object)) return object;
    return undefined;
  }
}

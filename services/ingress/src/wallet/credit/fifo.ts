/** A first-in, first-out queue whose operations take constant time on average. */
export class Fifo<T> {
  #items: T[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  /** The items from first to last, as they are now. */
  [Symbol.iterator](): Iterator<T> {
    return this.#items.slice(this.#head).values();
  }

  push(...items: T[]): void {
    this.#items.push(...items);
  }

  /** Takes up to `count` items from the front, while `fits` accepts the next one. */
  take(count: number, fits: (item: T) => boolean = () => true): T[] {
    let end = this.#head;
    const limit = Math.min(this.#items.length, this.#head + count);
    for (let item = this.#items[end]; end < limit && item !== undefined && fits(item); item = this.#items[end])
      end += 1;
    const taken = this.#items.slice(this.#head, end);
    this.#head = end;
    if (this.#head * 2 >= this.#items.length) this.#compact();
    return taken;
  }

  /** Puts items back at the front, in their order. */
  putBack(items: T[]): void {
    this.#items = items.concat(this.#items.slice(this.#head));
    this.#head = 0;
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }
}

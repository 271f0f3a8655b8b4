/** A first-in, first-out queue whose steps take the same time however long it is; shifting a long array moves all of it. */
export class Queue<T> {
  #items: T[] = [];
  #head = 0;

  get first(): T | undefined {
    return this.#items[this.#head];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  dropFirst(): void {
    this.#head++;
    if (this.#head * 2 < this.#items.length) return;
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }
}

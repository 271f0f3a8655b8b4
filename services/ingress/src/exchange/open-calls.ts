/** An upstream call that can be ended because the process stops. */
export interface StoppableCall {
  stop(): void;
}

/**
 * The open upstream calls, so that a stopping process can end those that take too long.
 *
 * They are in an array: a `Set` has a new table after every few changes, and V8 lets each old one, once garbage in the old
 * generation, keep the next one and all requests in it from an early collection.
 */
export class OpenCalls {
  readonly #calls: (StoppableCall | undefined)[] = [];
  readonly #free: number[] = [];
  #stopped = false;

  /** Adds a call, or stops it at once after `stopAll`. Returns its place, for `delete`. */
  add(call: StoppableCall): number {
    const place = this.#free.pop() ?? this.#calls.length;
    if (this.#stopped) call.stop();
    this.#calls[place] = this.#stopped ? undefined : call;
    return place;
  }

  /** Removes the call at a place, as it has ended. */
  delete(place: number): void {
    this.#calls[place] = undefined;
    this.#free.push(place);
  }

  /** Stops every call, and each one that is added later. */
  stopAll(): void {
    this.#stopped = true;
    for (const call of this.#calls) call?.stop();
    this.#calls.fill(undefined);
  }
}

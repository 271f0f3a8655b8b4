/** An upstream call that can be ended because the process stops. */
export interface StoppableCall {
  stop(): void;
}

/** The open upstream calls, so that a stopping process can end those that take too long. */
export class OpenCalls {
  readonly #calls = new Set<StoppableCall>();
  #stopped = false;

  /** Adds a call; stops it at once after `stopAll`. */
  add(call: StoppableCall): void {
    if (this.#stopped) call.stop();
    else this.#calls.add(call);
  }

  /** Removes a call that has ended. */
  delete(call: StoppableCall): void {
    this.#calls.delete(call);
  }

  /** Stops every call, and each one that is added later. */
  stopAll(): void {
    this.#stopped = true;
    for (const call of this.#calls) call.stop();
    this.#calls.clear();
  }
}

import type { ServerResponse } from 'node:http';

/** Tells whether the client is still there. */
export class ClientPresence {
  readonly #controller = new AbortController();

  constructor(res: ServerResponse) {
    const leave = () => {
      if (!res.writableFinished) this.#controller.abort();
    };
    if (res.destroyed) leave();
    else res.once('close', leave);
  }

  /** Aborts when the connection closes before the answer was sent whole. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get hasLeft(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Calls back once when the client leaves, at once when it has. */
  onLeave(callback: () => void): void {
    if (this.hasLeft) callback();
    else this.#controller.signal.addEventListener('abort', callback, { once: true });
  }
}

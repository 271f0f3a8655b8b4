import type { ServerResponse } from 'node:http';

/** Observes whether the client is still connected. */
export class ClientConnection {
  readonly #controller = new AbortController();
  #isClosed = false;

  constructor(res: ServerResponse) {
    const close = () => {
      if (res.writableFinished) return;
      this.#isClosed = true;
      this.#controller.abort();
    };
    if (res.destroyed) close();
    else res.once('close', close);
  }

  /** Aborts when the connection closes before the response is sent completely. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Calls back once when the client disconnects; immediately if it already has. */
  onClose(callback: () => void): void {
    if (this.isClosed) callback();
    else this.#controller.signal.addEventListener('abort', callback, { once: true });
  }
}

import type { ServerResponse } from 'node:http';

/** Sends bytes during long silences of a stream, so that proxies before the client do not close the connection. */
export class KeepAlive {
  readonly #timer: NodeJS.Timeout;

  /** @param bytes sent after every `silenceMs` without other output */
  constructor(res: ServerResponse, bytes: Buffer, silenceMs: number) {
    this.#timer = setTimeout(() => {
      if (!res.writableNeedDrain) res.write(bytes);
      this.#timer.refresh();
    }, silenceMs);
  }

  /** Call it when something was sent. */
  written(): void {
    this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

import type { ServerResponse } from 'node:http';

/** Fills long silences of a stream, so that nothing between here and the client takes the connection for dead. */
export class KeepAlive {
  readonly #timer: NodeJS.Timeout;

  /** @param bytes what is sent after `silenceMs` without anything else, again and again */
  constructor(res: ServerResponse, bytes: Buffer, silenceMs: number) {
    this.#timer = setTimeout(() => {
      if (!res.writableNeedDrain) res.write(bytes);
      this.#timer.refresh();
    }, silenceMs);
  }

  /** Something was sent just now. */
  written(): void {
    this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

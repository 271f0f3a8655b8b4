import type { ServerResponse } from 'node:http';

/** How long an opening waits for content. OpenAI rejects a prompt that is too long within this time. */
const HOLD_MS = 2_000;

/**
 * The first events of a response that has no content yet. They are held back for a moment, in case an error takes their
 * place, which another deployment may not have, and which clients understand better without a stream.
 */
export class Opening {
  readonly #events: Buffer[] = [];
  readonly #onTimeout: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param onTimeout called once if the response has neither content nor an end for too long */
  constructor(onTimeout: () => void) {
    this.#onTimeout = onTimeout;
  }

  hold(bytes: Buffer | undefined): void {
    if (bytes !== undefined) this.#events.push(bytes);
    this.#timer ??= setTimeout(this.#onTimeout, HOLD_MS);
  }

  /** What was held back. */
  take(): Buffer[] {
    this.end();
    return this.#events.splice(0);
  }

  /** The response has ended or goes on without an opening. */
  end(): void {
    clearTimeout(this.#timer);
  }
}

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

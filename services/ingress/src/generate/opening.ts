/** How long an opening waits for content. OpenAI rejects a prompt that is too long within this time. */
const HOLD_MS = 2_000;

const NOTHING: readonly Buffer[] = [];

/**
 * The first events of a response that has no content yet. They are held back for a moment, in case an error takes their
 * place, which another deployment may not have, and which clients understand better without a stream.
 */
export class Opening {
  #events: Buffer[] = [];
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

  /** What was held back, once. */
  take(): readonly Buffer[] {
    if (this.#timer === undefined) return NOTHING;
    this.end();
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** The response has ended or goes on without an opening. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

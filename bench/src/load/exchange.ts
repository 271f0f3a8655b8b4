import type { Dispatcher } from 'undici';
import { countEventEnds } from './count-events.ts';
import type { RequestSpec } from './messages.ts';
import type { Tally } from './tally.ts';

/** Events of every stream besides tokens: the opening event, the finish, the usage and [DONE]. */
const OTHER_EVENTS = 4;

/** Bytes of an error response in the error message. */
const SHOWN_BYTES = 300;

/** Makes one request, checks its response and adds it to the tally. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #spec: RequestSpec;
  readonly #tally: Tally;
  readonly #onFirstByte: ((ms: number) => void) | undefined;
  readonly #onEnd: () => void;
  readonly #startedAt = performance.now();
  #status = 0;
  #bytes = 0;
  #events = 0;
  #lineOpen = false;
  #refusal = '';

  constructor(spec: RequestSpec, tally: Tally, onEnd: () => void, onFirstByte?: (ms: number) => void) {
    this.#spec = spec;
    this.#tally = tally;
    this.#onEnd = onEnd;
    this.#onFirstByte = onFirstByte;
  }

  onRequestStart(): void {
    // undici requires the method.
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes === 0) this.#onFirstByte?.(performance.now() - this.#startedAt);
    this.#bytes += chunk.length;
    if (this.#status !== 200) this.#refusal += chunk.toString('utf8', 0, SHOWN_BYTES);
    if (!this.#spec.streamed) return;
    const counted = countEventEnds(chunk, this.#lineOpen);
    this.#lineOpen = counted.open;
    this.#events += counted.events;
    this.#tally.events += counted.events;
  }

  onResponseEnd(): void {
    const problem = this.#problem();
    if (problem === undefined) this.#tally.requests += 1;
    else this.#tally.fail(problem);
    this.#onEnd();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#tally.fail(error.message);
    this.#onEnd();
  }

  #problem(): string | undefined {
    if (this.#status !== 200) return `status ${this.#status}: ${this.#refusal.slice(0, SHOWN_BYTES)}`;
    if (this.#bytes === 0) return 'an answer without a body';
    if (!this.#spec.streamed) return undefined;
    const expected = this.#spec.outputTokens + OTHER_EVENTS;
    return this.#events === expected ? undefined : `a stream of ${this.#events} events instead of ${expected}`;
  }
}

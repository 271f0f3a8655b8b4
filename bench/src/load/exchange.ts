import type { Dispatcher } from 'undici';
import { countEventEnds } from './count-events.ts';
import type { RequestSpec } from './messages.ts';
import { endMarkerOf } from './request.ts';
import type { Tally } from './tally.ts';

/** Bytes of an error response in the error message. */
const SHOWN_BYTES = 300;

const NOTHING = Buffer.alloc(0);

/** Makes one request, checks its response and adds it to the tally. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #spec: RequestSpec;
  readonly #tally: Tally;
  readonly #onFirstByte: (() => void) | undefined;
  readonly #onEnd: () => void;
  readonly #startedAt = performance.now();
  #status = 0;
  #bytes = 0;
  #events = 0;
  #lineOpen = false;
  #endMarker: string | undefined;
  /** The end of the text in which the marker is looked for. */
  #tail: Buffer = NOTHING;
  #refusal = '';

  constructor(spec: RequestSpec, tally: Tally, onEnd: () => void, onFirstByte?: () => void) {
    this.#spec = spec;
    this.#tally = tally;
    this.#onEnd = onEnd;
    this.#onFirstByte = onFirstByte;
    this.#endMarker = spec.streamed ? endMarkerOf(spec) : undefined;
  }

  onRequestStart(): void {
    // undici requires the method.
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes === 0) {
      this.#tally.firstByte.add(performance.now() - this.#startedAt);
      this.#onFirstByte?.();
    }
    this.#bytes += chunk.length;
    if (this.#status !== this.#spec.status) this.#refusal += chunk.toString('utf8', 0, SHOWN_BYTES);
    if (!this.#spec.streamed) return;
    const counted = countEventEnds(chunk, this.#lineOpen);
    this.#lineOpen = counted.open;
    this.#events += counted.events;
    this.#tally.events += counted.events;
    this.#seekEnd(chunk);
  }

  onResponseEnd(): void {
    const problem = this.#problem();
    if (problem === undefined) {
      this.#tally.requests += 1;
      this.#tally.latency.add(performance.now() - this.#startedAt);
    } else this.#tally.fail(problem);
    this.#onEnd();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#tally.fail(error.message);
    this.#onEnd();
  }

  /** Looks for the marker of a complete stream, which may be split between chunks, once all text has come. */
  #seekEnd(chunk: Buffer): void {
    const marker = this.#endMarker;
    if (marker === undefined) return;
    const text = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk]);
    if (this.#events >= this.#spec.outputTokens && text.includes(marker)) this.#endMarker = undefined;
    else this.#tail = text.subarray(Math.max(0, text.length - marker.length));
  }

  #problem(): string | undefined {
    if (this.#status !== this.#spec.status) return `status ${this.#status}: ${this.#refusal.slice(0, SHOWN_BYTES)}`;
    if (this.#bytes === 0) return 'an answer without a body';
    if (this.#endMarker === undefined) return undefined;
    return `a stream of ${this.#events} events without ${this.#endMarker}`;
  }
}

import type { ClientReadableStream, ServiceError } from '@grpc/grpc-js';
import { Backoff } from '../backoff.ts';

export interface ReconnectingStreamOptions<Response, Call extends ClientReadableStream<Response>> {
  /** Opens a call. */
  open: () => Call;
  /** A call was opened; it may not be connected yet. */
  opened?: (call: Call) => void;
  /** A response of the current call. */
  received: (response: Response, call: Call) => void;
  /** The current call broke, ended or was abandoned. Another one is opened after a delay. */
  lost: (reason: string, error?: ServiceError) => void;
  /** The first delay before a new call; each further one is twice as long, up to the maximum. */
  minDelayMs: number;
  maxDelayMs: number;
  /** Whether a delay may be down to half as long, so that clients do not reconnect together. On by default. */
  jitter?: boolean;
}

/** A call that streams responses, reopened whenever it breaks or ends, after a delay that grows until `reset`. */
export class ReconnectingStream<Response, Call extends ClientReadableStream<Response>> {
  readonly #options: ReconnectingStreamOptions<Response, Call>;
  readonly #backoff: Backoff;
  #call: Call | undefined;
  #timer: NodeJS.Timeout | undefined;
  #started = false;
  #stopped = false;

  constructor(options: ReconnectingStreamOptions<Response, Call>) {
    this.#options = options;
    this.#backoff = new Backoff(
      options.minDelayMs,
      options.maxDelayMs,
      options.jitter === false ? () => 1 : Math.random,
    );
  }

  /** The current call; undefined while there is none. */
  get call(): Call | undefined {
    return this.#call;
  }

  /** Opens the first call. Does nothing once started. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#connect();
  }

  /** The stream works: the next delay is the shortest again. */
  reset(): void {
    this.#backoff.reset();
  }

  /** Abandons the current call, which is lost with this reason, and opens another one after a delay. */
  restart(reason: string): void {
    const call = this.#call;
    this.#lose(reason);
    call?.cancel();
  }

  /** Opens another call after a delay. Returns the current one, which the caller ends. */
  replace(): Call | undefined {
    const call = this.#call;
    this.#call = undefined;
    this.#reconnectLater();
    return call;
  }

  /** Opens no further call. Returns the current one, which the caller ends. */
  stop(): Call | undefined {
    this.#stopped = true;
    clearTimeout(this.#timer);
    const call = this.#call;
    this.#call = undefined;
    return call;
  }

  #connect(): void {
    if (this.#stopped) return;
    const call = this.#options.open();
    this.#call = call;
    call.on('data', (response: Response) => {
      if (call === this.#call) this.#options.received(response, call);
    });
    call.on('error', (error: ServiceError) => {
      if (call === this.#call) this.#lose(error.message, error);
    });
    call.on('end', () => {
      if (call === this.#call) this.#lose('the server ended the stream');
    });
    this.#options.opened?.(call);
  }

  #lose(reason: string, error?: ServiceError): void {
    this.#call = undefined;
    this.#reconnectLater();
    this.#options.lost(reason, error);
  }

  #reconnectLater(): void {
    clearTimeout(this.#timer);
    if (!this.#stopped) this.#timer = setTimeout(() => this.#connect(), this.#backoff.next());
  }
}

import { Duplex } from 'node:stream';
import { Metadata, type ServiceError } from '@grpc/grpc-js';

/** Receives what a handler does on its side of a call. */
export interface ServerCallEvents<Response> {
  sent: (response: Response) => void;
  /** The handler ended the call; without an error, after all responses. */
  ended: (error: ServiceError | undefined) => void;
}

/** A handler's side of a bidirectional call without a network. */
export class ServerCall<Request, Response> extends Duplex {
  readonly metadata = new Metadata();
  cancelled = false;
  readonly #events: ServerCallEvents<Response>;
  #over = false;

  constructor(events: ServerCallEvents<Response>) {
    super({ objectMode: true, autoDestroy: false, emitClose: false });
    this.#events = events;
    this.on('error', (error: ServiceError) => this.#end(error));
  }

  /** Passes one message to the handler. */
  receive(request: Request): void {
    if (!this.#over) this.push(request);
  }

  /** The client disconnected. */
  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.cancelled = true;
    this.emit('cancelled', 'cancelled');
  }

  /** The client sends nothing more. */
  halfClose(): void {
    if (!this.#over) this.push(null);
  }

  #end(error: ServiceError | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#events.ended(error);
  }

  override _read(): void {
    // Messages are pushed as they arrive.
  }

  override _write(response: Response, _encoding: string, written: (error?: Error) => void): void {
    if (!this.#over) this.#events.sent(response);
    written();
  }

  override _final(finished: (error?: Error) => void): void {
    this.#end(undefined);
    finished();
  }

  sendMetadata(): void {
    // No client of the ledger reads any.
  }

  getPeer(): string {
    return 'history';
  }

  getDeadline(): number {
    return Number.POSITIVE_INFINITY;
  }

  getPath(): string {
    return '';
  }

  getHost(): string {
    return '';
  }

  getAuthContext(): Record<string, never> {
    return {};
  }

  getMetricsRecorder(): never {
    throw new Error('a simulated call records no metrics');
  }
}

import { type ServerDuplexStream, type ServerWritableStream, status } from '@grpc/grpc-js';
import { RpcError, toGrpcStatus } from '../errors.ts';
import type { Logger } from '../logging.ts';

/** The streams that are open, so that a stopping server can end them. */
export class OpenStreams {
  readonly #streams = new Set<{ end: () => void }>();
  #draining = false;

  add(stream: { end: () => void }): void {
    this.#streams.add(stream);
    if (this.#draining) stream.end();
  }

  delete(stream: { end: () => void }): void {
    this.#streams.delete(stream);
  }

  /** Ends all streams, each once its work in progress is done, and those that open later at once. */
  drain(): void {
    this.#draining = true;
    for (const stream of [...this.#streams]) stream.end();
  }
}

export interface ServerStreamOptions {
  /** The method, for the log. */
  name: string;
  logger: Logger;
  open: OpenStreams;
  /** Whether an error ends the stream as UNAVAILABLE, so that the client opens another one and repeats its messages. */
  isOutage?: (error: unknown) => boolean;
}

export interface MessageOptions<Request, Response> extends ServerStreamOptions {
  /** Maximum messages of one stream that are handled concurrently; beyond it the stream is paused. */
  maxInFlight: number;
  handle: (request: Request, stream: ServerStream<Response>) => Promise<void>;
}

/** The server's side of a call that streams responses. */
export class ServerStream<Response> {
  readonly #call: ServerWritableStream<unknown, Response> | ServerDuplexStream<unknown, Response>;
  readonly #options: ServerStreamOptions;
  readonly #gone = Promise.withResolvers<void>();
  readonly #goneController = new AbortController();
  /** Messages and other work in progress, which the end of the stream waits for. */
  #inProgress = 0;
  #ended = false;

  constructor(
    call: ServerWritableStream<unknown, Response> | ServerDuplexStream<unknown, Response>,
    options: ServerStreamOptions,
  ) {
    this.#call = call;
    this.#options = options;
    call.on('cancelled', () => this.#finish());
    call.on('close', () => this.#finish());
    call.on('error', (error: Error) => {
      if (!this.gone.aborted) options.logger.warn({ err: error, method: options.name }, 'stream lost');
      this.#finish();
    });
    options.open.add(this);
  }

  /** Aborts when the stream is over and nothing more can be sent. */
  get gone(): AbortSignal {
    return this.#goneController.signal;
  }

  /** Whether further messages are handled. */
  get takesMessages(): boolean {
    return !this.#ended && !this.gone.aborted;
  }

  /** Sends a response. Resolves once flow control accepts it, or the stream is over. */
  readonly send = (response: Response): Promise<void> =>
    this.gone.aborted
      ? Promise.resolve()
      : Promise.race([this.#gone.promise, new Promise<void>((sent) => this.#call.write(response, () => sent()))]);

  /**
   * Adds work that does not delay further messages. The end of the stream waits for it, and its failure ends the stream.
   * The caller limits how much of it there is.
   */
  readonly runAside = (work: Promise<void>): void => {
    this.#inProgress++;
    work
      .catch((error: unknown) => this.fail(error))
      .finally(() => {
        this.#inProgress--;
        this.#endIfIdle();
      });
  };

  /** Handles no further message, and ends the stream once the work in progress is done. */
  end(): void {
    this.#ended = true;
    if ('pause' in this.#call) this.#call.pause();
    this.#endIfIdle();
  }

  /** Ends the stream with the status of an error. */
  fail(error: unknown): void {
    if (this.gone.aborted) return;
    this.#finish();
    const { isOutage, logger, name } = this.#options;
    const rpcError = toGrpcStatus(
      isOutage?.(error) === true ? new RpcError('unavailable', 'the database is unavailable') : error,
    );
    if (rpcError.code === status.INTERNAL || rpcError.code === status.UNAVAILABLE) {
      logger.error({ err: error, method: name }, 'stream failed');
    }
    this.#call.emit('error', rpcError);
  }

  #endIfIdle(): void {
    if (!this.#ended || this.#inProgress > 0 || this.gone.aborted) return;
    this.#finish();
    this.#call.end();
  }

  #finish(): void {
    if (this.gone.aborted) return;
    this.#options.open.delete(this);
    this.#gone.resolve();
    this.#goneController.abort();
  }
}

/**
 * Serves a bidirectional stream message by message. A handler that throws ends the stream with the error's status: an
 * RpcError as it is, an outage as UNAVAILABLE.
 */
export function serveMessages<Request, Response>(
  call: ServerDuplexStream<Request, Response>,
  options: MessageOptions<Request, Response>,
): ServerStream<Response> {
  const stream = new ServerStream<Response>(call, options);
  let inFlight = 0;
  call.on('data', (request: Request) => {
    if (!stream.takesMessages) return;
    inFlight++;
    if (inFlight >= options.maxInFlight) call.pause();
    const handled = options.handle(request, stream).finally(() => {
      inFlight--;
      if (stream.takesMessages) call.resume();
    });
    stream.runAside(handled);
  });
  call.on('end', () => stream.end());
  return stream;
}

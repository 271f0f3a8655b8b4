import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js';

/** A client's side of a bidirectional stream, read message by message. */
export class Duplex<Request, Response> {
  readonly #call: ClientDuplexStream<Request, Response>;
  readonly #received: Response[] = [];
  readonly #readers: ((response: Response) => void)[] = [];
  readonly #ended = Promise.withResolvers<ServiceError | undefined>();

  constructor(call: ClientDuplexStream<Request, Response>) {
    this.#call = call;
    call.on('data', (response: Response) => {
      const reader = this.#readers.shift();
      if (reader === undefined) this.#received.push(response);
      else reader(response);
    });
    call.on('error', (error: ServiceError) => this.#ended.resolve(error));
    call.on('end', () => this.#ended.resolve(undefined));
  }

  send(request: Request): void {
    this.#call.write(request);
  }

  /** The next message, in the order of calls; rejects when the stream ends first. */
  next(): Promise<Response> {
    const response = this.#received.shift();
    if (response !== undefined) return Promise.resolve(response);
    const read = new Promise<Response>((resolve) => this.#readers.push(resolve));
    const ended = this.#ended.promise.then((error) => {
      throw error ?? new Error('the stream ended');
    });
    return Promise.race([read, ended]);
  }

  /** Resolves when the stream is over, with the error it ended with. */
  get ended(): Promise<ServiceError | undefined> {
    return this.#ended.promise;
  }

  end(): void {
    this.#call.end();
  }
}

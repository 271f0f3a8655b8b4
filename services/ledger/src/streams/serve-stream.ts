import type { ServerDuplexStream } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import { RpcError, toGrpcStatus } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import { isOutage } from '../store/retry.ts';

/** The streams that are open, so that a stopping server can end them. */
export class OpenStreams {
  readonly #drains = new Set<() => void>();

  add(drain: () => void): void {
    this.#drains.add(drain);
  }

  delete(drain: () => void): void {
    this.#drains.delete(drain);
  }

  /** Takes no further message on any stream; each ends once what runs is answered. */
  drain(): void {
    for (const drain of [...this.#drains]) drain();
  }
}

/** The stream a message came on. */
export interface ServedStream {
  /** Aborts when the stream is over: nothing sent on it arrives any more. */
  gone: AbortSignal;
  /**
   * Goes on with a message's work beside the others: it keeps no further message waiting, yet a draining stream ends
   * after it, and its failure ends the stream. The caller bounds how much of it there is.
   */
  runAside: (work: Promise<void>) => void;
}

export interface StreamOptions<Request, Response> {
  name: string;
  logger: Logger;
  open: OpenStreams;
  /** Messages of one stream handled at the same time; beyond, the sender is made to wait. */
  maxInFlight: number;
  /** Handles one message. What it sends is flow controlled: it waits while the client does not read. */
  handle: (request: Request, send: (response: Response) => Promise<void>, stream: ServedStream) => Promise<void>;
}

/**
 * Serves one bidirectional stream. A handler that throws ends the stream with the error's status: an RpcError as it is,
 * a database that fails as UNAVAILABLE, so that the client opens another stream and sends again.
 */
export function serveStream<Request, Response>(
  call: ServerDuplexStream<Request, Response>,
  options: StreamOptions<Request, Response>,
): void {
  let inFlight = 0;
  let besides = 0;
  let ended = false;
  let over = false;
  const gone = Promise.withResolvers<void>();
  const goneSignal = new AbortController();

  const finish = () => {
    if (over) return;
    over = true;
    options.open.delete(drain);
    gone.resolve();
    goneSignal.abort();
  };
  const endIfIdle = () => {
    if (!ended || inFlight > 0 || besides > 0 || over) return;
    finish();
    call.end();
  };
  const drain = () => {
    ended = true;
    call.pause();
    endIfIdle();
  };
  const fail = (error: unknown) => {
    if (over) return;
    finish();
    const answer = toGrpcStatus(
      isOutage(error) ? new RpcError('unavailable', 'the database is out of reach or fails') : error,
    );
    if (answer.code === status.INTERNAL || answer.code === status.UNAVAILABLE) {
      options.logger.error({ err: error, method: options.name }, 'stream failed');
    }
    call.emit('error', answer);
  };
  const send = (response: Response) =>
    over
      ? Promise.resolve()
      : Promise.race([gone.promise, new Promise<void>((sent) => call.write(response, () => sent()))]);
  const runAside = (work: Promise<void>) => {
    besides++;
    work.catch(fail).finally(() => {
      besides--;
      endIfIdle();
    });
  };
  const stream: ServedStream = { gone: goneSignal.signal, runAside };

  options.open.add(drain);
  call.on('data', (request: Request) => {
    if (over || ended) return;
    inFlight++;
    if (inFlight >= options.maxInFlight) call.pause();
    options
      .handle(request, send, stream)
      .catch(fail)
      .finally(() => {
        inFlight--;
        if (!ended && !over) call.resume();
        endIfIdle();
      });
  });
  call.on('end', () => {
    ended = true;
    endIfIdle();
  });
  call.on('cancelled', finish);
  call.on('close', finish);
}

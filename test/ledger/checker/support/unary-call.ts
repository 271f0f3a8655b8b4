import { EventEmitter } from 'node:events';
import { type handleUnaryCall, Metadata } from '@grpc/grpc-js';

/** A handler's side of a unary call that goes over no network. */
class UnaryCall<Request> extends EventEmitter {
  readonly metadata = new Metadata();
  readonly cancelled = false;
  readonly request: Request;

  constructor(request: Request) {
    super();
    this.request = request;
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

/** Calls a handler; rejects with the status that it refuses with. */
export function callUnary<Request, Response>(
  handler: handleUnaryCall<Request, Response>,
  request: Request,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    handler(new UnaryCall(request), (error, response) => {
      if (error !== null && error !== undefined) reject(error);
      else if (response === null || response === undefined) reject(new Error('the handler gave no answer'));
      else resolve(response);
    });
  });
}

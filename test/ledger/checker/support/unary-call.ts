import type { handleUnaryCall } from '@grpc/grpc-js';
import { ServerCall } from './server-call.ts';

/** A handler's side of a unary call that goes over no network: its messages are its request and what its callback takes. */
class UnaryCall<Request> extends ServerCall<never, never> {
  readonly request: Request;

  constructor(request: Request) {
    super({ sent: noMessage, ended: noMessage });
    this.request = request;
  }
}

function noMessage(): never {
  throw new Error('a unary call is answered by its callback');
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

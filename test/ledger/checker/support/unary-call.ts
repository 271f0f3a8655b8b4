import type { handleUnaryCall } from '@grpc/grpc-js';
import { ServerCall } from './server-call.ts';

/** A handler's side of a unary call without a network. */
class UnaryCall<Request> extends ServerCall<never, never> {
  readonly request: Request;

  constructor(request: Request) {
    super({ sent: noMessage, ended: noMessage });
    this.request = request;
  }
}

function noMessage(): never {
  throw new Error('a unary call responds through its callback');
}

/** Calls a handler; rejects with its error status. */
export function callUnary<Request, Response>(
  handler: handleUnaryCall<Request, Response>,
  request: Request,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    handler(new UnaryCall(request), (error, response) => {
      if (error !== null && error !== undefined) reject(error);
      else if (response === null || response === undefined) reject(new Error('the handler gave no response'));
      else resolve(response);
    });
  });
}

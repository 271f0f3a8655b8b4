import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import type { Express } from 'express';
import type { Locals } from '../../shared/request/request-context.ts';

/**
 * The classes of an application's requests and responses, for `http.createServer`. Express gives each of them its own
 * prototypes, which is expensive for objects that Node.js created with others: V8 then has to look up every property of
 * theirs anew. Objects that have these prototypes from the start are left as they are.
 */
export function expressMessages(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
    // Express creates an object without a prototype otherwise, whose properties are slow.
    readonly locals: Record<keyof Locals, undefined> = { context: undefined, body: undefined, route: undefined };
  }
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request);
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

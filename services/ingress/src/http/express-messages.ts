import { IncomingMessage, type Server, type ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import express, { type Express } from 'express';
import type { Locals } from './request-context.ts';

/** Where Express looks up settings, by server. */
const applications = new WeakMap<Server, Express>();

class AppRequest extends IncomingMessage {
  get app(): Express | undefined {
    return applicationOf(this);
  }
}

class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
  // Express creates an object without a prototype otherwise, whose properties are slow.
  readonly locals: Record<keyof Locals, undefined> = { context: undefined, body: undefined, route: undefined };

  get app(): Express | undefined {
    return applicationOf(this.req);
  }
}

Object.setPrototypeOf(AppRequest.prototype, express.request);
Object.setPrototypeOf(AppResponse.prototype, express.response);

/**
 * The classes of all requests and responses, for `http.createServer`. Express gives each of them the prototypes of its application,
 * which is expensive for objects that Node.js created with others: V8 then has to look up every property of theirs anew.
 * Objects that have these prototypes from the start are left as they are. All applications of a process share them, so
 * that code that V8 has optimized for one, as that of the warm-up, serves another.
 */
export const expressMessages: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> = {
  IncomingMessage: AppRequest,
  ServerResponse: AppResponse,
};

/** Makes an application use these prototypes, for the requests of its server. */
export function useExpressMessages(app: Express, server: Server): void {
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  applications.set(server, app);
}

/** By the server of a connection, which Node.js sets on its socket. */
function applicationOf({ socket }: IncomingMessage): Express | undefined {
  const { server } = socket as Socket & { server?: Server };
  return server === undefined ? undefined : applications.get(server);
}

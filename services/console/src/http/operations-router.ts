import type { Client as GrpcClient } from '@grpc/grpc-js';
import { fieldToJson, toJson } from '@tollgate/common/descriptors/json';
import { readFields } from '@tollgate/common/descriptors/read-json';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { CONSOLE_SERVICE, OPERATIONS, type Operation } from '../api/operations.ts';
import type { KnownAccounts } from '../lookups/known-accounts.ts';
import { type Caller, checkAccess } from './access.ts';
import { ApiError } from './api-error.ts';
import type { Client } from './call.ts';
import type { Handlers } from './handlers.ts';
import { passOn } from './pass-on.ts';
import { readRequest } from './read-request.ts';
import { sendJson } from './send-json.ts';

const DEFAULT_DEADLINE_MS = 10_000;
/** Of what a page shows: the web app waits for half a second more. */
const PAGE_READ_MS = 2_500;

export interface OperationsRouterOptions {
  /** Of the console's operations. */
  handlers: Handlers;
  /** The clients of the services that operations are passed on to, by the names of the services; undefined: not installed. */
  clients: Readonly<Record<string, GrpcClient | undefined>>;
  /** Which operations it serves. */
  serves: (operation: Operation) => boolean;
  /** Identifies the caller; throws ApiError for credentials that are not accepted. */
  identify: (req: Request, client: Client) => Promise<Caller>;
  clientOf: (req: Request) => Client;
  accounts: KnownAccounts;
}

/** A handler with the types of its operation erased: the router has read what it gets. */
type AnyHandler = (request: object, call: object) => Promise<unknown>;

/**
 * Serves operations: identifies the caller, checks the role, reads the request, calls the handler and sends what it returns
 * as JSON. Errors go on to the error handler.
 */
export function createOperationsRouter(options: OperationsRouterOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const operation of OPERATIONS) {
    if (!options.serves(operation)) continue;
    const path = operation.path.replace(/\{(\w+)\}/g, ':$1');
    router[operation.method.toLowerCase() as 'get'](path, serve(operation, options));
  }
  router.use((req) => {
    throw new ApiError('not_found', `There is no ${req.method} ${req.baseUrl}${req.path}.`);
  });
  return router;
}

function serve(operation: Operation, options: OperationsRouterOptions): RequestHandler {
  const { identify, clientOf, accounts } = options;
  const handler = handlerOf(operation, options);
  return async (req: Request, res: Response) => {
    res.locals['route'] = `${req.baseUrl}${operation.path}`;
    const client = clientOf(req);
    const caller = await identify(req, client);
    const fromPath = readFields(operation.inPath, req.params, true);
    const usualMs = isForPage(operation, caller) ? PAGE_READ_MS : DEFAULT_DEADLINE_MS;
    const signal = signalOf(res);
    const who = await checkAccess(operation.access, caller, {
      accountId: accountIn(fromPath),
      accounts,
      usualMs,
      signal,
    });
    const request = await readRequest(operation, req, fromPath);
    const result = await handler(request, { ...who, client, signal, response: res });
    if (operation.contentTypes.length > 0) return;
    if (operation.isEmpty) res.status(204).end();
    else await sendJson(req, res, jsonOf(operation, result));
  };
}

function handlerOf(operation: Operation, { handlers, clients }: OperationsRouterOptions): AnyHandler {
  const { localName, parent } = operation.rpc;
  if (parent.typeName === CONSOLE_SERVICE) return handlers[localName as keyof Handlers] as AnyHandler;
  if (!(parent.typeName in clients)) throw new Error(`there is no client of ${parent.typeName}`);
  const client = clients[parent.typeName];
  if (client !== undefined) return passOn(client, operation) as AnyHandler;
  return async () => {
    throw new ApiError('not_found', `${operation.tag} are not set up at this gateway.`);
  };
}

function jsonOf({ rpc, result }: Operation, response: unknown): unknown {
  if (result === undefined) return toJson(rpc.output, response as object);
  return fieldToJson(result, (response as Record<string, unknown>)[result.localName]);
}

/** Whether somebody waits for it in front of a page. Programs and exports have more time. */
function isForPage({ method, contentTypes }: Operation, { session }: Caller): boolean {
  return method === 'GET' && session !== undefined && contentTypes.length === 0;
}

function accountIn(path: object): string | undefined {
  return 'accountId' in path && typeof path.accountId === 'string' ? path.accountId.toLowerCase() : undefined;
}

/** Aborts when the client leaves before the response has ended. */
function signalOf(res: Response): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}

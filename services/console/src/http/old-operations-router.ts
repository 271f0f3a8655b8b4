import { type Request, type RequestHandler, type Response, Router } from 'express';
import { type OldRoute, operations } from '../api/index.ts';
import { type Operation, StreamedResponse } from '../api/operation.ts';
import type { KnownAccounts } from '../lookups/known-accounts.ts';
import { type Caller, checkAccess } from './access.ts';
import type { Client, Handlers } from './handler.ts';
import { readInput } from './read-input.ts';
import { readJson } from './read-json.ts';
import { sendJson } from './send-json.ts';

const DEFAULT_DEADLINE_MS = 10_000;
/** Of what a page shows: the web app waits for half a second more. */
const PAGE_READ_MS = 2_500;

export interface OldRouterOptions {
  handlers: Handlers;
  /** Which operations it serves. */
  serves: (operation: Operation) => boolean;
  /** Identifies the caller; throws ApiError for credentials that are not accepted. */
  identify: (req: Request, client: Client) => Promise<Caller>;
  clientOf: (req: Request) => Client;
  accounts: KnownAccounts;
}

/** A handler with the types of its operation erased: the router has validated what it gets. */
type AnyHandler = (call: object) => Promise<unknown>;

/**
 * Serves operations: identifies the caller, validates each part of the request, checks the role, calls the handler and
 * sends what it returns as JSON. Errors go on to the error handler.
 */
export function createOldOperationsRouter(options: OldRouterOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const route of Object.keys(operations) as OldRoute[]) {
    const operation: Operation = operations[route];
    if (!options.serves(operation)) continue;
    const [method = '', path = ''] = route.split(' ');
    const handler = options.handlers[route] as AnyHandler;
    const serves = serve({ operation, method, path }, handler, options);
    router[method.toLowerCase() as 'get'](path.replace(/\{(\w+)\}/g, ':$1'), serves);
  }
  return router;
}

interface Endpoint {
  operation: Operation;
  method: string;
  path: string;
}

function serve(
  { operation, method, path }: Endpoint,
  handler: AnyHandler,
  { identify, clientOf, accounts }: OldRouterOptions,
): RequestHandler {
  return async (req: Request, res: Response) => {
    res.locals['route'] = `${req.baseUrl}${path}`;
    const client = clientOf(req);
    const caller = await identify(req, client);
    const given = { path: readInput(operation.path, req.params) };
    const usualMs = isForPage(operation, method, caller) ? PAGE_READ_MS : DEFAULT_DEADLINE_MS;
    const who = await checkAccess(operation.access, caller, {
      accountId: accountIn(given.path),
      accounts,
      usualMs,
      signal: signalOf(res),
    });
    const call = {
      ...given,
      ...who,
      query: readInput(operation.query, req.query),
      body:
        operation.body === null ? undefined : readInput(operation.body, await readJson(req, operation.maxBodyBytes)),
      client,
      signal: signalOf(res),
      response: res,
    };
    const result = await handler(call);
    if (operation.response instanceof StreamedResponse) return;
    if (operation.response === null) res.status(204).end();
    else await sendJson(req, res, result);
  };
}

/** Whether somebody waits for it in front of a page. Programs and exports have more time. */
function isForPage({ response }: Operation, method: string, { session }: Caller): boolean {
  return method === 'GET' && session !== undefined && !(response instanceof StreamedResponse);
}

function accountIn(path: object): string | undefined {
  return 'account_id' in path && typeof path.account_id === 'string' ? path.account_id.toLowerCase() : undefined;
}

const signals = new WeakMap<Response, AbortSignal>();

/** Aborts when the client leaves before the response has ended. */
function signalOf(res: Response): AbortSignal {
  const known = signals.get(res);
  if (known !== undefined) return known;
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort();
  });
  signals.set(res, controller.signal);
  return controller.signal;
}

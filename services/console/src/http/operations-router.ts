import type { RoleName } from '@tollgate/common/actors/roles';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { IssuedToken } from '../actors/issued-token.ts';
import { operations, type Route } from '../api/index.ts';
import { type Operation, StreamedResponse } from '../api/operation.ts';
import type { KnownAccounts } from '../lookups/known-accounts.ts';
import type { Session } from '../sessions/session.ts';
import { ApiError, apiErrors } from './api-error.ts';
import type { Acting, Client, Handlers } from './handler.ts';
import { readInput } from './read-input.ts';
import { readJson } from './read-json.ts';
import { sendJson } from './send-json.ts';

const DEFAULT_DEADLINE_MS = 10_000;
/** Of what a page shows: the web app waits for half a second more. */
const PAGE_READ_MS = 2_500;

/** Who makes a request. */
export interface Caller {
  /** Undefined: nobody is signed in, or a program calls. */
  session: Session | undefined;
  /**
   * The actor in an account, or, for undefined, as an operator.
   *
   * @throws ApiError not_signed_in, not_allowed
   */
  token: (accountId: string | undefined) => Promise<IssuedToken>;
}

export interface OperationsRouterOptions {
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
export function createOperationsRouter(options: OperationsRouterOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const route of Object.keys(operations) as Route[]) {
    const operation: Operation = operations[route];
    if (!options.serves(operation)) continue;
    const [method = '', path = ''] = route.split(' ');
    const handler = options.handlers[route] as AnyHandler;
    const serves = serve({ operation, method, path }, handler, options);
    router[method.toLowerCase() as 'get'](path.replace(/\{(\w+)\}/g, ':$1'), serves);
  }
  router.use((req) => {
    throw new ApiError('not_found', `There is no ${req.method} ${req.baseUrl}${req.path}.`);
  });
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
  { identify, clientOf, accounts }: OperationsRouterOptions,
): RequestHandler {
  return async (req: Request, res: Response) => {
    res.locals['route'] = `${req.baseUrl}${path}`;
    const client = clientOf(req);
    const caller = await identify(req, client);
    const given = { path: readInput(operation.path, req.params) };
    const usualMs = isForPage(operation, method, caller) ? PAGE_READ_MS : DEFAULT_DEADLINE_MS;
    const who = await checkAccess(operation, caller, { accountId: accountIn(given.path), accounts, usualMs, res });
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

interface Access {
  accountId: string | undefined;
  accounts: KnownAccounts;
  /** The time limit of calls of services that need no other. */
  usualMs: number;
  res: Response;
}

/** What a handler learns of its caller. */
async function checkAccess(
  { access }: Operation,
  caller: Caller,
  { accountId, accounts, usualMs, res }: Access,
): Promise<{ session: Session | undefined } | Acting> {
  if (access === 'anyone') return { session: caller.session };
  if (access === 'person') {
    if (caller.session === undefined) throw apiErrors.notSignedIn();
    return { session: caller.session };
  }
  const { role, actorId } = requireRole(await caller.token(accountId), access, accountId);
  const actorToken = async () => (await caller.token(accountId)).token;
  const rpc = async (deadlineMs = usualMs) => ({
    deadlineMs,
    signal: signalOf(res),
    actorToken: await actorToken(),
  });
  if (role === 'operator' && accountId !== undefined) await accounts.require(accountId, await rpc());
  return { role, actorId, session: caller.session, actorToken, rpc };
}

/** The services check this too; here it names what is missing. */
function requireRole(token: IssuedToken, access: readonly RoleName[], accountId: string | undefined): IssuedToken {
  if (token.accountId !== undefined && token.accountId !== accountId)
    throw new ApiError('not_allowed', 'The management key belongs to another account.');
  if (access.includes(token.role)) return token;
  throw new ApiError('not_allowed', `This needs the role ${listOf(access)}; yours is ${token.role}.`);
}

function listOf(roles: readonly RoleName[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(roles);
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

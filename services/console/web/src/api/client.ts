import type { Api } from '../../../src/api/index.ts';
import { ApiError, type ErrorCode } from './error.ts';
import { signInAgain } from './signed-out.ts';

export type Route = keyof Api;

/** A part of a request, which may be left out if all of its fields may. */
type Part<Name extends string, T> = [T] extends [undefined | Record<string, never>]
  ? { [N in Name]?: T | undefined }
  : object extends T
    ? { [N in Name]?: T }
    : { [N in Name]: T };

export type Input<R extends Route> = Part<'path', Api[R]['path']> &
  Part<'query', Api[R]['query']> &
  ([Api[R]['body']] extends [undefined] ? { body?: undefined } : { body: Api[R]['body'] });

export type Output<R extends Route> = Api[R]['response'];

/** An element of the `data` of a list. */
export type Item<R extends Route> = Output<R> extends { data: (infer T)[] } ? T : never;

interface Parts {
  path?: Record<string, unknown> | undefined;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
}

interface CallOptions {
  /** Ends a read, at any time. */
  signal?: AbortSignal | undefined;
  /** Ends a change that has not been sent. What was sent goes on. */
  unsent?: AbortSignal | undefined;
  /** Called when a change is sent: from then on it may be made. */
  onSent?: (() => void) | undefined;
  /** Whether a session that has ended opens the sign-in dialog, after which the call is repeated. By default it does. */
  signInAgain?: boolean;
}

/** The address of a route, for calls and for links to exports. */
export function address<R extends Route>(route: R, input: Omit<Input<R>, 'body'>): string {
  const { path = {}, query = {} } = input as Parts;
  const template = route.slice(route.indexOf(' ') + 1);
  const pathname = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  return `/api${pathname}${search.size === 0 ? '' : `?${search}`}`;
}

/** A page that waits longer says so. */
const READ_MS = 3_000;
/** More than the console takes for any change. */
const CHANGE_MS = 20_000;

/**
 * Calls the API. Throws an ApiError for every failure, also of the network, and when its time limit has passed. If the
 * session has ended, the call waits until the person has signed in again, so that forms keep their input.
 */
export async function call<R extends Route>(route: R, input: Input<R>, options: CallOptions = {}): Promise<Output<R>> {
  const response = await signedIn(route, input, options, isRead(route) ? READ_MS : CHANGE_MS);
  if (response.status === 204) return undefined as Output<R>;
  try {
    return (await response.json()) as Output<R>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw unanswered(error, route, input, options);
    throw new ApiError('internal_error', response.status, 'The console sent a response that is not valid.', null);
  }
}

/** As `call`, for streams: the response once its status is known to be good, without a time limit. */
export async function send<R extends Route>(route: R, input: Input<R>, options: CallOptions = {}): Promise<Response> {
  return signedIn(route, input, options, null);
}

async function signedIn<R extends Route>(
  route: R,
  input: Input<R>,
  options: CallOptions,
  limitMs: number | null,
): Promise<Response> {
  const response = await request(route, input, options, limitMs);
  if (response.ok) return response;
  const error = await readError(response);
  if (error.code !== 'not_signed_in' || options.signInAgain === false) throw error;
  await signInAgain();
  const repeated = await request(route, input, options, limitMs);
  if (!repeated.ok) throw await readError(repeated);
  return repeated;
}

async function request<R extends Route>(
  route: R,
  input: Input<R>,
  options: CallOptions,
  limitMs: number | null,
): Promise<Response> {
  const { body } = input as Parts;
  options.unsent?.throwIfAborted();
  options.onSent?.();
  const signals = [options.signal ?? [], limitMs === null ? [] : AbortSignal.timeout(limitMs)].flat();
  try {
    return await fetch(address(route, input), {
      method: route.slice(0, route.indexOf(' ')),
      credentials: 'same-origin',
      signal: AbortSignal.any(signals),
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  } catch (error) {
    throw unanswered(error, route, input, options);
  }
}

function isRead(route: Route): boolean {
  return route.startsWith('GET ');
}

/** What they ask for is too long for an address, or secret. */
const CHANGE_NOTHING: readonly Route[] = ['POST /accounts/{account_id}/keys/find', 'POST /operator/catalogue/compare'];

/** The error of a call without a response: what it means for what was asked. A call that was ended stays that. */
function unanswered<R extends Route>(error: unknown, route: R, input: Input<R>, options: CallOptions): unknown {
  if (options.signal?.aborted === true) return error;
  return new ApiError('unreachable', 0, unansweredMessage(route, (input as Parts).body, options), null);
}

function unansweredMessage(route: Route, body: unknown, { signInAgain }: CallOptions): string {
  const isOffline = navigator.onLine === false;
  if (isRead(route) || CHANGE_NOTHING.includes(route))
    return isOffline ? 'You are offline.' : 'The console does not respond.';
  if (isOffline) return 'You are offline, so nothing was sent. Try again when you are connected.';
  if (signInAgain === false) return 'The console does not respond. Check your connection, then try again.';
  const isOnce = typeof body === 'object' && body !== null && 'idempotency_key' in body;
  return `The console has not answered. It may have done this: ${
    isOnce ? 'trying again in this form does it once.' : 'look before you try again.'
  }`;
}

async function readError(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => null)) as {
    error?: { code?: ErrorCode; message?: string; field?: string | null };
  } | null;
  const error = body?.error;
  if (error?.code === undefined || error.message === undefined) {
    return new ApiError(
      response.status === 401 ? 'not_signed_in' : response.status >= 502 ? 'unavailable' : 'internal_error',
      response.status,
      `The console is not available (status ${response.status}). Try again in a moment.`,
      null,
    );
  }
  return new ApiError(error.code, response.status, error.message, error.field ?? null);
}

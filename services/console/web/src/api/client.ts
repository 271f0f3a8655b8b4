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
  signal?: AbortSignal | undefined;
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

/**
 * Calls the API. Throws an ApiError for every failure, also of the network. If the session has ended, the call waits until
 * the person has signed in again, so that forms keep their input.
 */
export async function call<R extends Route>(route: R, input: Input<R>, options: CallOptions = {}): Promise<Output<R>> {
  const response = await send(route, input, options);
  if (response.status === 204) return undefined as Output<R>;
  return (await readJson(response)) as Output<R>;
}

/** As `call`, for responses that are not JSON: the response once its status is known to be good. */
export async function send<R extends Route>(route: R, input: Input<R>, options: CallOptions = {}): Promise<Response> {
  const { body } = input as Parts;
  const init: RequestInit = {
    method: route.slice(0, route.indexOf(' ')),
    credentials: 'same-origin',
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  };
  const response = await request(address(route, input), init);
  if (response.ok) return response;
  const error = await readError(response);
  if (error.code !== 'not_signed_in' || options.signInAgain === false) throw error;
  await signInAgain();
  const repeated = await request(address(route, input), init);
  if (!repeated.ok) throw await readError(repeated);
  return repeated;
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError('unreachable', 0, 'The console does not respond. Check your connection, then try again.', null);
  }
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw new ApiError('internal_error', response.status, 'The console sent a response that is not valid.', null);
  }
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

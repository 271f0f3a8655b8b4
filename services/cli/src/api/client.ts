import { hostname } from 'node:os';
import type { Api } from '@tollgate/console/api/index';
import { z } from 'zod';
import { CommandFailure } from '../terminal/failure.ts';
import type { Route } from './operations.ts';
import { jsonIn, readText } from './read-body.ts';

/** Longer than any operation but the test of a provider may take. */
const TIMEOUT_MS = 60_000;
/** Longer than an export may take. */
const EXPORT_TIMEOUT_MS = 660_000;
/** What a person sees of a session of the command line. */
export const USER_AGENT = `tollgate on ${hostname().replace(/[^\x21-\x7e]/g, '')}`;

/** Who calls: a program, a person who has signed in, or nobody. */
export type Credential = { managementKey: string } | { sessionToken: string } | undefined;

/** The parts of a request that an operation has. */
export type Parts<R extends Route> = Partial<Pick<Api[R], 'path' | 'query' | 'body'>>;

/** A call that the console has refused. */
export class ApiFailure extends CommandFailure {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

const errorBody = z.object({ error: z.object({ message: z.string(), field: z.string().nullable() }) });

/** The API of a console. */
export class ConsoleClient {
  readonly url: string;
  readonly #credential: Credential;

  constructor(url: string, credential: Credential) {
    this.url = checkedUrl(url);
    this.#credential = credential;
  }

  /** Whether a management key is the credential. */
  get isProgram(): boolean {
    return this.#credential !== undefined && 'managementKey' in this.#credential;
  }

  /**
   * Calls an operation. Nothing is tried again.
   *
   * @throws ApiFailure with the console's message; CommandFailure when it did not respond
   */
  async call<R extends Route>(route: R, parts: Parts<R> = {}, timeoutMs = TIMEOUT_MS): Promise<Api[R]['response']> {
    const { url, init } = this.#request(route, parts, timeoutMs);
    const { response, text } = await fetchText(url, init);
    if (!response.ok) throw failureOf(response, text, this.url);
    return text === '' ? (undefined as Api[R]['response']) : JSON.parse(text);
  }

  /**
   * Calls an operation that responds with a file.
   *
   * @param write takes a part of it
   * @throws ApiFailure with the console's message; CommandFailure when it did not respond, or cut the file off
   */
  async download(route: Route, parts: Parts<Route>, write: (part: Uint8Array) => Promise<void>): Promise<void> {
    const { url, init } = this.#request(route, parts, EXPORT_TIMEOUT_MS);
    const response = await fetch(url, init).catch((error: unknown) => {
      throw unreachable(url, error);
    });
    if (!response.ok) throw failureOf(response, await readText(response, 'the console'), this.url);
    try {
      for await (const part of response.body ?? []) await write(part);
    } catch (error) {
      throw new CommandFailure(`the file is incomplete: ${reasonOf(error)}`, { cause: error });
    }
  }

  #request<R extends Route>(route: R, parts: Parts<R>, timeoutMs: number): { url: URL; init: RequestInit } {
    const [method = '', path = ''] = route.split(' ');
    const { path: ids = {}, query = {}, body } = parts as { path?: object; query?: object; body?: unknown };
    const prefix = this.isProgram ? '/management/v1' : '/api';
    const url = new URL(`${this.url}${prefix}${fillIn(path, ids)}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    const init: RequestInit = {
      method,
      headers: {
        'user-agent': USER_AGENT,
        ...this.#authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A console does not redirect its API, and another host must not get the credential.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    };
    return { url, init };
  }

  get #authorization(): Record<string, string> {
    if (this.#credential === undefined) return {};
    const secret = 'managementKey' in this.#credential ? this.#credential.managementKey : this.#credential.sessionToken;
    return { authorization: `Bearer ${secret}` };
  }
}

/**
 * Sends a request to a console, and reads the body of whatever it responds.
 *
 * @throws CommandFailure when it did not respond, or too much
 */
export async function fetchText(url: URL, init: RequestInit): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(url, init);
    return { response, text: await readText(response, 'the console') };
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw unreachable(url, error);
  }
}

function unreachable(url: URL, error: unknown): CommandFailure {
  return new CommandFailure(`the console at ${url.origin} cannot be reached: ${reasonOf(error)}`, { cause: error });
}

/** The address of a console, without a path. A key over plain HTTP could be read on its way. */
export function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.pathname !== '/' || url.search !== '' || url.username !== '')
    throw new CommandFailure(`${text} is no address of a console, such as https://tollgate.example.com`);
  const isLocal = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal))
    throw new CommandFailure(`the address of the console must be https, except on localhost, not ${text}`);
  return url.origin;
}

function fillIn(path: string, ids: object): string {
  const byName = new Map(Object.entries(ids));
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(byName.get(name))));
}

function failureOf(response: Response, text: string, url: string): ApiFailure {
  const { error } = errorIn(text) ?? {};
  const trace = response.headers.get('x-trace-id');
  if (error === undefined)
    return new ApiFailure(`${url} is no console: it responds with ${response.status}`, response.status);
  const place = response.status >= 500 && trace !== null ? ` (trace ${trace})` : '';
  return new ApiFailure(`${error.message}${place}`, response.status);
}

function errorIn(text: string): z.output<typeof errorBody> | undefined {
  return errorBody.safeParse(jsonIn(text)).data;
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'it did not respond in time';
  return error.cause instanceof Error ? error.cause.message : error.message;
}

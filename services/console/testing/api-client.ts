import type { Api, Route } from '../src/api/index.ts';

/** Who calls: a browser with its cookie, a program with its management key, or nobody. */
export type Credentials = { cookie: string } | { managementKey: string } | undefined;

/** The parts of a request that an operation has. */
type Parts<R extends Route> = Partial<Pick<Api[R], 'path' | 'query' | 'body'>>;

export interface Answer<R extends Route> {
  status: number;
  headers: Headers;
  /** The body: an error for a status from 400. */
  body: Api[R]['response'];
  error: { code: string; message: string; field: string | null } | undefined;
}

/** Calls the API of a running console, as its web app or a program does. */
export class ApiClient {
  readonly #url: string;
  readonly #credentials: Credentials;

  constructor(url: string, credentials: Credentials) {
    this.#url = url;
    this.#credentials = credentials;
  }

  /** The cookie of the session, as a request header has it. */
  get cookie(): string {
    const credentials = this.#credentials;
    if (credentials === undefined || !('cookie' in credentials)) throw new Error('the client has no session');
    return credentials.cookie;
  }

  get managementKey(): string {
    const credentials = this.#credentials;
    if (credentials === undefined || !('managementKey' in credentials)) throw new Error('the client is no program');
    return credentials.managementKey;
  }

  /** Sends a request whatever its outcome; its body is not read. */
  fetch<R extends Route>(route: R, parts: Parts<R> = {}, signal?: AbortSignal): Promise<Response> {
    const [method = '', path = ''] = route.split(' ');
    const given = parts as { path?: object; query?: object; body?: unknown };
    const url = new URL(`${this.#prefix}${fillIn(path, given.path)}`, this.#url);
    for (const [name, value] of Object.entries(given.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return fetch(url, {
      method,
      headers: this.#headers(given.body !== undefined),
      ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** Calls an operation, whatever its outcome. */
  async call<R extends Route>(route: R, parts: Parts<R> = {}): Promise<Answer<R>> {
    const response = await this.fetch(route, parts);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const body = isJson ? JSON.parse(text) : text;
    const { status, headers } = response;
    return { status, headers, body, error: status >= 400 ? body.error : undefined };
  }

  /** Calls an operation that succeeds. */
  async ok<R extends Route>(route: R, parts: Parts<R> = {}): Promise<Api[R]['response']> {
    const { status, body } = await this.call(route, parts);
    if (status >= 300) throw new Error(`${route}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  get #prefix(): string {
    return this.#credentials !== undefined && 'managementKey' in this.#credentials ? '/management/v1' : '/api';
  }

  #headers(hasBody: boolean): Record<string, string> {
    const credentials = this.#credentials;
    const type: Record<string, string> = hasBody ? { 'content-type': 'application/json' } : {};
    if (credentials === undefined) return { ...type, origin: this.#url };
    if ('managementKey' in credentials) return { ...type, authorization: `Bearer ${credentials.managementKey}` };
    return { ...type, origin: this.#url, cookie: credentials.cookie };
  }
}

function fillIn(path: string, values: object = {}): string {
  const byName = new Map(Object.entries(values));
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(byName.get(name))));
}

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';

/** Why a request cannot be read, or not served, as HTTP: errors that Node.js would send without a body. */
export interface UnreadableRequest {
  readonly status: 400 | 405 | 408 | 417 | 431;
  readonly message: string;
}

/** An error response in the shape of a service. */
export interface RenderedError {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Renders the error of a request that cannot be read.
 *
 * @param res the open response of its connection, whose head is not sent yet; undefined before the request has a response
 */
export type RenderUnreadable = (problem: UnreadableRequest, res: ServerResponse | undefined) => RenderedError;

export const UNREADABLE = {
  malformed: { status: 400, message: 'The request is not valid HTTP.' },
  target: { status: 400, message: 'The request target is not a valid URL.' },
  noHost: { status: 400, message: 'The Host header is missing.' },
  severalHosts: { status: 400, message: 'The Host header is sent more than once.' },
  connect: { status: 405, message: 'CONNECT is not supported.' },
  late: { status: 408, message: 'The complete request was not received in time.' },
  expectation: { status: 417, message: 'The Expect header is not supported, except for 100-continue.' },
  tooLargeHead: { status: 431, message: "The request's headers are too large." },
} as const satisfies Record<string, UnreadableRequest>;

/** What HTTP forbids in a head, or lets a server reject; undefined for a valid one. */
export function problemOfHead({ headers, httpVersion, rawHeaders }: IncomingMessage): UnreadableRequest | undefined {
  const { host, expect } = headers;
  if (host === undefined && httpVersion === '1.1') return UNREADABLE.noHost;
  if (hasSeveralHosts(rawHeaders)) return UNREADABLE.severalHosts;
  return expect === undefined || isContinue(expect) ? undefined : UNREADABLE.expectation;
}

/** Whether a client waits for 100 Continue before it sends its body. */
export function awaitsContinue({ headers, httpVersion }: Pick<IncomingMessage, 'headers' | 'httpVersion'>): boolean {
  return headers.expect !== undefined && isContinue(headers.expect) && httpVersion === '1.1';
}

/** Node.js keeps the first of several; a proxy in front may have used another one (RFC 9112, section 3.2). */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

function isContinue(expect: string): boolean {
  return expect.trim().toLowerCase() === '100-continue';
}

/** A complete HTTP/1.1 response, after which the connection is closed. */
export function unreadableResponse({ status }: UnreadableRequest, { headers, body }: RenderedError): string {
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(status === UNREADABLE.connect.status ? ['allow: GET, HEAD, POST'] : []),
    'connection: close',
    '',
    body,
  ].join('\r\n');
}

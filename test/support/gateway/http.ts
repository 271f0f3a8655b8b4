import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';

/** A request exactly as sent, with only the headers that HTTP requires. */
export interface WireRequest {
  method?: string;
  /** Path with query, sent unchanged. */
  path: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  /** Idle timeout in milliseconds; 30 s by default. */
  timeoutMs?: number;
}

export interface WireResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body as JSON; undefined when it is not one. */
  json: unknown;
}

const RESPONSE_TIMEOUT_MS = 30_000;
/**
 * Closes a connection that is idle long before the server would, which may be just when it is used again. Without a timeout
 * of its own the agent ignores the server's `keep-alive` header, and keeps connections until they are closed.
 */
const agent = new Agent({ keepAlive: true, maxSockets: 256, scheduling: 'fifo', timeout: RESPONSE_TIMEOUT_MS });

/** Sends a request with node:http and reads its complete response. Rejects if the connection breaks. */
export async function send(baseUrl: string, wire: WireRequest): Promise<WireResponse> {
  const response = await open(baseUrl, wire);
  const text = await readText(response);
  return { status: response.statusCode ?? 0, headers: response.headers, text, json: parse(text) };
}

/** Sends a request and resolves with its response head; the body is left to read or to `destroy()`. */
export function open(baseUrl: string, wire: WireRequest): Promise<IncomingMessage> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        hostname,
        port,
        path: wire.path,
        method: wire.method ?? 'GET',
        headers: {
          ...wire.headers,
          ...(wire.body === undefined ? {} : { 'content-length': Buffer.byteLength(wire.body) }),
        },
        agent,
        timeout: wire.timeoutMs ?? RESPONSE_TIMEOUT_MS,
      },
      resolve,
    );
    outgoing.on('error', reject);
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${wire.path}: no response in time`)));
    outgoing.end(wire.body);
  });
}

/** Sends a request and disconnects once `ready` has resolved, before its response. */
export async function sendAndLeave(baseUrl: string, wire: WireRequest, ready: () => Promise<unknown>): Promise<void> {
  const { hostname, port } = new URL(baseUrl);
  const outgoing = request({ hostname, port, path: wire.path, method: wire.method ?? 'POST', headers: wire.headers });
  const closed = new Promise<void>((resolve) => outgoing.once('close', resolve));
  outgoing.on('error', () => undefined);
  outgoing.on('response', (response) => response.on('error', () => undefined));
  outgoing.end(wire.body);
  await ready();
  outgoing.destroy();
  await closed;
}

/** Writes bytes to a new connection and reads until the other side closes it. */
export function sendBytes(baseUrl: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) });
    socket.setTimeout(RESPONSE_TIMEOUT_MS, () => socket.destroy(new Error('the other side did not close in time')));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
    socket.write(bytes);
  });
}

/** Reads a message's body to its end; rejects when it is cut off. */
export async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

/** JSON of a text, undefined when it is not one. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

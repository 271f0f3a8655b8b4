import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import { at } from '@tollgate/test-support/gateway/json';
import { WebSocket } from 'ws';

/** An event as the client received it. */
export type SocketEvent = Readonly<Record<string, unknown>>;

/** Events after which the response to a message is over. */
const LAST_EVENTS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** Within a response that has begun, an error has no status, and another event follows. */
function isLast(event: SocketEvent): boolean {
  return LAST_EVENTS.has(event['type']) || (event['type'] === 'error' && event['status'] !== undefined);
}

/** How a WebSocket was closed. */
export interface Closed {
  code: number;
  reason: string;
}

/** A WebSocket client that keeps every event. */
export class TestSocket {
  readonly events: SocketEvent[] = [];
  readonly closed: Promise<Closed>;
  readonly ws: WebSocket;
  #read = 0;
  #wake = Promise.withResolvers<void>();

  constructor(ws: WebSocket) {
    this.ws = ws;
    const { promise, resolve } = Promise.withResolvers<Closed>();
    this.closed = promise;
    ws.on('message', (data) => {
      this.events.push(JSON.parse(String(data)) as SocketEvent);
      this.#changed();
    });
    ws.on('close', (code, reason) => {
      resolve({ code, reason: reason.toString() });
      this.#changed();
    });
    ws.on('error', () => undefined);
  }

  /** Sends a `response.create`. */
  create(body: object): void {
    this.ws.send(JSON.stringify({ type: 'response.create', ...body }));
  }

  /** The next event. Fails if the socket is closed first. */
  async next(): Promise<SocketEvent> {
    for (;;) {
      const event = this.events[this.#read];
      if (event !== undefined) {
        this.#read += 1;
        return event;
      }
      if (this.ws.readyState === WebSocket.CLOSED) throw new Error('the WebSocket was closed');
      await this.#wake.promise;
    }
  }

  /** The next events, up to the last one of a response. */
  async rest(): Promise<SocketEvent[]> {
    const events: SocketEvent[] = [];
    for (;;) {
      const event = await this.next();
      events.push(event);
      if (isLast(event)) return events;
    }
  }

  /** Sends a `response.create` and waits for the last event of its response. */
  async turn(body: object): Promise<Turn> {
    this.create(body);
    const events = await this.rest();
    const last = events.at(-1);
    return {
      events,
      type: last?.['type'],
      id: String(at(last, 'response', 'id')),
      text: events
        .flatMap((event) => (event['type'] === 'response.output_text.delta' ? [event['delta']] : []))
        .join(''),
      code: at(last, 'error', 'code'),
      requestId: at(events[0], 'headers', 'x-request-id'),
      last,
    };
  }

  /** Closes the socket and waits until it is closed. */
  async close(): Promise<Closed> {
    this.ws.close();
    return this.closed;
  }

  #changed(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}

/** The response to one message. */
export interface Turn {
  events: SocketEvent[];
  /** Of the last event. */
  type: unknown;
  id: string;
  text: string;
  /** Of an `error` event. */
  code: unknown;
  requestId: unknown;
  last: SocketEvent | undefined;
}

export interface OpenOptions {
  path?: string;
  headers?: Record<string, string>;
  baseUrl?: string;
}

/** Opens a WebSocket with a bearer key. */
export async function openSocket(gateway: Gateway, key: string, options: OpenOptions = {}): Promise<TestSocket> {
  const { path = '/v1/responses', headers = {}, baseUrl = gateway.baseUrl } = options;
  const ws = new WebSocket(`${baseUrl.replace('http', 'ws')}${path}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
    perMessageDeflate: true,
  });
  const socket = new TestSocket(ws);
  await once(ws, 'open');
  return socket;
}

/** The response to an upgrade that is refused. */
export async function refusedUpgrade(gateway: Gateway, path: string, headers: Record<string, string>) {
  const ws = new WebSocket(`${gateway.baseUrl.replace('http', 'ws')}${path}`, { headers });
  ws.on('error', () => undefined);
  const [, res] = (await once(ws, 'unexpected-response')) as [unknown, IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of res) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return { status: res.statusCode ?? 0, headers: res.headers, text, json: JSON.parse(text) as unknown };
}

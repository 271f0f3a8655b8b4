import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { chance, type Random } from './random.ts';
import type { Wire } from './requests/wire.ts';

/** Time limit of a request; a longer one hangs. */
const LIMIT_MS = 45_000;

/** How a response ended for its client. */
export type Ending =
  /** It was complete. */
  | 'end'
  /** The connection broke. */
  | 'cut'
  /** The client disconnected, as planned. */
  | 'disconnected'
  /** It did not end in time. */
  | 'hung';

export interface Received {
  /** 0 without a response. */
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  ending: Ending;
}

/** Behaviour of a client besides sending and reading. */
export interface Manners {
  /** Disconnects this long after sending its request. */
  disconnectsAfterMs: number | undefined;
  /** Sends the body chunked, in two pieces. */
  chunked: boolean;
}

export function mannersOf(random: Random): Manners {
  return { disconnectsAfterMs: chance(random, 25) ? random.below(60) : undefined, chunked: chance(random, 50) };
}

export function openAgent(connections: number): Agent {
  return new Agent({ keepAlive: true, maxSockets: connections });
}

/** Sends a request and reads its response. */
export function send(agent: Agent, baseUrl: string, wire: Wire, manners: Manners): Promise<Received> {
  const { hostname, port, host } = new URL(baseUrl);
  const headers = ['host', host, ...wire.headers.flat()];
  const { body } = wire;
  if (manners.chunked && body !== undefined) headers.push('transfer-encoding', 'chunked');
  else if (body !== undefined) headers.push('content-length', String(body.length));
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let response: IncomingMessage | undefined;
    let isOver = false;
    const done = (ending: Ending) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(limit);
      clearTimeout(leaving);
      if (ending !== 'end') call.destroy();
      const text = Buffer.concat(chunks).toString('utf8');
      resolve({ status: response?.statusCode ?? 0, headers: response?.headers ?? {}, text, ending });
    };
    const limit = setTimeout(() => done('hung'), LIMIT_MS);
    const call = request({ agent, hostname, port, method: wire.method, path: wire.path, headers });
    const leaving =
      manners.disconnectsAfterMs === undefined
        ? undefined
        : setTimeout(() => done('disconnected'), manners.disconnectsAfterMs);
    call.on('error', () => done('cut'));
    call.on('response', (message) => {
      response = message;
      message.on('data', (chunk: Buffer) => chunks.push(chunk));
      message.on('end', () => done(message.complete ? 'end' : 'cut'));
      message.on('error', () => done('cut'));
      message.on('close', () => done('cut'));
    });
    if (manners.chunked && body !== undefined) {
      call.write(body.subarray(0, body.length >> 1));
      call.end(body.subarray(body.length >> 1));
    } else call.end(body);
  });
}

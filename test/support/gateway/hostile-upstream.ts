import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen, stopListening } from '@tollgate/common/http-server';

/** A response, byte for byte. */
export interface HostileResponse {
  status?: number;
  headers?: Record<string, string>;
  body: string | Buffer;
}

/** What an upstream knows about its call. */
export type HostileCall = Pick<IncomingMessage, 'headers' | 'url'> & { body: string };

/** An upstream that returns any prepared bytes. */
export interface HostileUpstream {
  url: string;
  /** Prepares a response. @returns a text that the prompt of its call must contain */
  prepare: (response: HostileResponse | ((call: HostileCall) => HostileResponse)) => string;
  stop: () => Promise<void>;
}

/** Starts one. A call without a prepared response gets 404. */
export async function startHostileUpstream(): Promise<HostileUpstream> {
  const responses: (HostileResponse | ((call: HostileCall) => HostileResponse))[] = [];
  const server = createServer((request, response) => {
    text(request).then(
      (body) => {
        const prepared = responses[Number(/response number (\d+)\./.exec(body)?.[1] ?? -1)];
        const { headers, url } = request;
        const given = typeof prepared === 'function' ? prepared({ headers, url, body }) : prepared;
        response.writeHead(given?.status ?? (given === undefined ? 404 : 200), given?.headers ?? {});
        response.end(given?.body);
      },
      () => response.destroy(),
    );
  });
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}`,
    prepare: (response) => `response number ${responses.push(response) - 1}.`,
    stop: () => stopListening(server, { lingerMs: 0, graceMs: 0 }),
  };
}

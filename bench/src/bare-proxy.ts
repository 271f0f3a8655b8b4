import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';

/**
 * The yardstick: the leanest proxy in Node.js that only copies. node:http in front, undici behind. A body is one buffer; a
 * response of known length is one write, a stream is written as it comes.
 *
 * UPSTREAM: origin to copy to. Reports its port to the parent process as `{ port }`.
 */
const pool = new Pool(process.env['UPSTREAM'] ?? '', {
  connections: 8_192,
  pipelining: 1,
  keepAliveTimeout: 60_000,
});

/** Headers of one connection, which are not copied to the other. */
const OF_CONNECTION = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

// Keeps connections open while other routes are measured.
const server = createServer({ keepAliveTimeout: 120_000, noDelay: true }, (req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const [only] = chunks;
    const body = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
    const options = { path: req.url ?? '/', method: req.method ?? 'GET', headers: copied(req), body };
    pool.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, new Copy(res));
  });
});

/** The headers of a request, as names and values in turn. */
function copied({ rawHeaders }: IncomingMessage): string[] {
  const headers: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!OF_CONNECTION.has(name.toLowerCase())) headers.push(name, value);
  }
  return headers;
}

/** Copies one response to the client, and disconnects from the upstream when the client does. */
class Copy implements Dispatcher.DispatchHandler {
  readonly #res: ServerResponse;
  #controller: Dispatcher.DispatchController | undefined;
  /** The pieces of a response of known length; undefined for a stream. */
  #pieces: Buffer[] | undefined;

  constructor(res: ServerResponse) {
    this.#res = res;
    res.once('close', () => {
      if (!res.writableFinished) this.#controller?.abort(new Error('the client has disconnected'));
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#res.statusCode = status;
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined && !OF_CONNECTION.has(name)) this.#res.setHeader(name, value);
    }
    if (headers['content-length'] !== undefined) this.#pieces = [];
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#pieces !== undefined) this.#pieces.push(chunk);
    else if (!this.#res.write(chunk)) {
      controller.pause();
      this.#res.once('drain', () => controller.resume());
    }
  }

  onResponseEnd(): void {
    if (this.#pieces === undefined) {
      this.#res.end();
      return;
    }
    const [only] = this.#pieces;
    const body = this.#pieces.length === 1 && only !== undefined ? only : Buffer.concat(this.#pieces);
    this.#res.setHeader('content-length', body.length);
    this.#res.end(body);
  }

  onResponseError(): void {
    if (this.#res.headersSent) this.#res.destroy();
    else this.#res.writeHead(502).end();
  }
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port });
});
process.on('disconnect', () => process.exit(0));

import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** One HTTP exchange of a program with the gateway. */
export interface Exchange {
  method: string;
  path: string;
  status: number;
  headers: Record<string, string>;
  /** Of a failed request. */
  errorBody: string;
}

/**
 * An address of its own for one program: passes everything on to the gateway unchanged and records what came back, so that
 * a test knows every request of a framework, retries included, without touching the framework.
 */
export class Tap {
  readonly exchanges: Exchange[] = [];
  readonly #server: Server;

  private constructor(gateway: string) {
    this.#server = createServer((incoming, outgoing) => {
      const { method = 'GET', url = '/', headers } = incoming;
      const onward = request(new URL(url, gateway), { method, headers: { ...headers, host: new URL(gateway).host } });
      onward.on('response', (response) => {
        const status = response.statusCode ?? 0;
        const headers = response.headers as Record<string, string>;
        const exchange: Exchange = { method, path: url, status, headers, errorBody: '' };
        this.exchanges.push(exchange);
        if (status >= 400) {
          response.on('data', (bytes: Buffer) => {
            exchange.errorBody += bytes.toString('utf8');
          });
        }
        outgoing.writeHead(status, response.headers);
        pipeline(response, outgoing, () => outgoing.destroy());
      });
      onward.on('error', () => outgoing.destroy());
      outgoing.on('close', () => onward.destroy());
      pipeline(incoming, onward, () => undefined);
    });
  }

  static async open(gateway: string): Promise<Tap> {
    const tap = new Tap(gateway);
    await new Promise<void>((resolve) => {
      tap.#server.listen(0, '127.0.0.1', resolve);
    });
    return tap;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

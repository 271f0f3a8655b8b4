import { hash } from 'node:crypto';
import { createServer, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen, stopListening } from '@tollgate/common/http-server';

/** A request that asks a model for something. */
export interface CountedRequest {
  path: string;
  digest: string;
  status: number;
}

/** A proxy in front of the gateway that remembers which requests were sent, and sent again. */
export interface CountingProxy {
  url: string;
  requests: readonly CountedRequest[];
  stop: () => Promise<void>;
}

export async function startCountingProxy(gatewayUrl: string): Promise<CountingProxy> {
  const requests: CountedRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming;
    buffer(incoming).then(
      (body) => {
        const forwarded = request(new URL(url, gatewayUrl), { method, headers }, (response) => {
          const { statusCode: status = 0 } = response;
          if (method === 'POST') requests.push({ path: url, digest: hash('sha256', body), status });
          outgoing.writeHead(status, response.headers);
          response.pipe(outgoing);
        });
        forwarded.on('error', () => outgoing.destroy());
        forwarded.end(body);
      },
      () => outgoing.destroy(),
    );
  });
  const port = await listen(server, '127.0.0.1', 0);
  return { url: `http://127.0.0.1:${port}`, requests, stop: () => stopListening(server, { lingerMs: 0, graceMs: 0 }) };
}

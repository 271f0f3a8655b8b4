import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { handleApi } from './api/handle.ts';
import { handleControl } from './control/http.ts';
import type { Dependencies } from './dependencies.ts';
import { handlePage } from './pages/handle.ts';

/** Creates the HTTP server of the simulated Stripe, without listening. */
export function createServer(dependencies: Dependencies): Server {
  return createHttpServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    handle(dependencies, request, response).catch((error: unknown) => {
      if (!response.destroyed) dependencies.onError(error);
      response.destroy();
    });
  });
}

async function handle(dependencies: Dependencies, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = URL.parse(request.url ?? '/', 'http://localhost');
  if (url === null) return sendJson(response, 400, { error: { message: 'Invalid URL' } });
  if (url.pathname === '/health') {
    request.resume();
    return sendJson(response, 200, { status: 'ok', simulated: true });
  }
  if (url.pathname.startsWith('/_control/') && dependencies.hasControl) {
    return handleControl(dependencies.control, request, response, url.pathname.slice('/_control/'.length));
  }
  if (/^\/(c|receipts)\//.test(url.pathname)) return handlePage(dependencies, request, response, url.pathname);
  return handleApi(dependencies, request, response, url);
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Dependencies } from './dependencies.ts';
import { bufferBody } from './exchange/buffer-body.ts';
import { Exchange } from './exchange/exchange.ts';
import { inspect } from './handlers/inspect.ts';
import { findHandler } from './protocols.ts';

const NOT_FOUND = '{"error":{"message":"Invalid URL","type":"invalid_request_error","param":null,"code":null}}';

/** Creates the HTTP server of the simulated provider, without listening. */
export function createServer(dependencies: Dependencies): Server {
  return createHttpServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    handle(dependencies, request, response).catch((error: unknown) => {
      if (!response.destroyed) dependencies.onError(error);
      response.destroy();
    });
  });
}

async function handle(dependencies: Dependencies, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { recorder, failFirst, keyDigests, contextWindow, promptCache } = dependencies;
  const method = request.method ?? '';
  const target = request.url ?? '/';
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  const found = findHandler(method, path);
  if (found === undefined) {
    request.resume();
    const own = inspect(recorder, method, path, query < 0 ? '' : target.slice(query + 1));
    response.writeHead(own?.status ?? 404, own?.headers ?? { 'content-type': 'application/json' });
    response.end(own?.body ?? NOT_FOUND);
    return;
  }
  const { protocol, handler } = found;
  const record = recorder.begin(protocol.name, request);
  response.on('close', () => recorder.end(record, response.writableFinished ? 'finished' : 'aborted'));
  const body = await bufferBody(request).catch(() => null);
  if (body === null) {
    response.destroy();
    return;
  }
  const exchange = new Exchange({
    request,
    response,
    path,
    body: body ?? Buffer.alloc(0),
    record,
    recorder,
    failFirst,
    contextWindow,
    promptCache,
  });
  if (keyDigests !== undefined && !protocol.keyHeaders.some((name) => record.headers[name] === keyDigests[name])) {
    return exchange.send(protocol.renderFailure(401, undefined));
  }
  if (body === undefined) return exchange.send(protocol.renderFailure(413, undefined));
  await handler(exchange);
}

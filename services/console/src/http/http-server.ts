import { createServer, type RequestListener, type Server } from 'node:http';

/** Time limits of connections, milliseconds. */
const HEAD_MS = 20_000;
const REQUEST_MS = 60_000;
/** Longer than the idle time of usual load balancers, so that these close first and no request is lost. */
const IDLE_MS = 75_000;
const CHECK_MS = 1_000;
/** A client that reads nothing of a response for this long is cut off. */
const STALL_MS = 120_000;
const MAX_CONNECTIONS = 2_000;

/** Creates the HTTP server of the application, with limits on heads, waiting times and connections. */
export function createHttpServer(app: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: HEAD_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: CHECK_MS,
      noDelay: true,
    },
    app,
  );
  server.maxHeadersCount = 100;
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(STALL_MS);
  return server;
}

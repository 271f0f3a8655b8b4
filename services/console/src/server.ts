import type { Server } from 'node:http';
import { clientAddress } from '@tollgate/common/http/client-network';
import { createHttpServer } from '@tollgate/common/http/create-http-server';
import express, { type Express, type Request } from 'express';
import type { Dependencies } from './dependencies.ts';
import { WEB_APP_FOLDER } from './folders.ts';
import { createHealthRouter } from './handlers/health.ts';
import { createOidcRouter } from './handlers/oidc/index.ts';
import { createHandlers } from './handlers.ts';
import { ApiError } from './http/api-error.ts';
import type { Client } from './http/call.ts';
import { createIdentifyByManagementKey, createIdentifyBySession } from './http/identify.ts';
import { createOpenRequestMiddleware } from './http/open-request.ts';
import { createOperationsRouter } from './http/operations-router.ts';
import { createSameOriginCheck } from './http/same-origin.ts';
import { createSecurityHeaders } from './http/security-headers.ts';
import { createErrorHandler } from './http/send-thrown-error.ts';
import { checkHead, renderUnreadable } from './http/unreadable-requests.ts';
import { KnownAccounts } from './lookups/known-accounts.ts';
import { createOAuthRouter } from './oauth/router.ts';
import { createServeOpenApi, OPENAPI_PATH } from './openapi/serve.ts';
import { readWebApp } from './web-app/files.ts';
import { createServeWebApp } from './web-app/serve.ts';

const MAX_CONNECTIONS = 2_000;
/** For a request with its body, which is small. */
const REQUEST_MS = 60_000;

export interface ServerOptions {
  /** The built web app. */
  webAppFolder?: string;
  /** Whether the process stops: it is no longer ready, and still serves. */
  isStopping?: () => boolean;
}

/** Creates the HTTP server of the console; it does not listen yet. */
export function createServer(deps: Dependencies, options: ServerOptions = {}): Server {
  return createHttpServer(createApp(deps, options), {
    maxConnections: MAX_CONNECTIONS,
    renderUnreadable,
    times: { requestMs: REQUEST_MS },
  });
}

/** Builds the application: the API for people and for programs, its description, the web app, and one place that renders errors. */
function createApp(
  deps: Dependencies,
  { webAppFolder = WEB_APP_FOLDER, isStopping = () => false }: ServerOptions,
): Express {
  const { config, logger } = deps;
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use(createOpenRequestMiddleware(logger));
  app.use(createSecurityHeaders(config.CONSOLE_URL));
  app.use(checkHead);

  app.use('/health', createHealthRouter({ ...deps, isStopping }));

  const handlers = createHandlers(deps);
  const clients = {
    'tollgate.auth.v1.AuthService': deps.auth,
    'tollgate.ledger.v1.LedgerService': deps.ledger,
    'tollgate.router.v1.RouterService': deps.router,
    'tollgate.payments.v1.PaymentsService': deps.payments,
  };
  const accounts = new KnownAccounts(deps.auth);
  const clientOf = (req: Request): Client => ({
    ip: clientAddress(req, config.TRUSTED_PROXIES),
    userAgent: req.get('user-agent') ?? '',
  });
  app.use(['/api', '/management', '/oauth', '/oidc'], (_req, res, next) => {
    res.setHeader('cache-control', 'no-store');
    next();
  });
  app.use('/api', createSameOriginCheck(config.CONSOLE_URL));
  app.use(createOidcRouter(deps));
  app.use('/oauth', createOAuthRouter(deps, clientOf));
  app.use(
    '/api',
    createOperationsRouter({
      handlers,
      clients,
      serves: () => true,
      identify: createIdentifyBySession(deps),
      clientOf,
      accounts,
    }),
  );
  app.use(
    '/management/v1',
    createOperationsRouter({
      handlers,
      clients,
      serves: ({ programs }) => programs,
      identify: createIdentifyByManagementKey(deps),
      clientOf,
      accounts,
    }),
  );
  app.get(OPENAPI_PATH, createServeOpenApi(config.CONSOLE_URL));
  const webApp = readWebApp(webAppFolder);
  if (webApp === undefined) logger.warn({ folder: webAppFolder }, 'the web app is not built');
  app.use(createServeWebApp(webApp));
  app.use((req: Request) => {
    throw new ApiError('not_found', `There is no ${req.method} ${req.path}.`);
  });
  app.use(createErrorHandler(logger));
  return app;
}

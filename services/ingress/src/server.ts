import type { Server } from 'node:http';
import { anthropicMessages } from '@tollgate/protocols/anthropic-messages/index';
import { openaiChat } from '@tollgate/protocols/openai-chat/index';
import { openaiCompaction } from '@tollgate/protocols/openai-responses/compact-request';
import { openaiResponses } from '@tollgate/protocols/openai-responses/index';
import express, { type Express, type NextFunction } from 'express';
import type { Dependencies } from './dependencies.ts';
import type { Edge } from './edge/edge.ts';
import { upgradeOf } from './edge/http/connections.ts';
import { checkHead } from './edge/http/unreadable-request.ts';
import { SOCKET_PATHS } from './edge/websocket/accept-sockets.ts';
import { createBillingBalanceHandler, createBillingDepositsHandler } from './handlers/billing/balance.ts';
import { createBillingLimitsHandler } from './handlers/billing/limits.ts';
import { createBillingRequestHandler, createBillingRequestsHandler } from './handlers/billing/records.ts';
import { createBillingUsageHandler } from './handlers/billing/usage.ts';
import { createCountTokensHandler } from './handlers/count-tokens.ts';
import { createEmbeddingsHandler } from './handlers/embeddings.ts';
import { createGeminiMethodsHandler } from './handlers/gemini-methods.ts';
import { createGenerateHandler } from './handlers/generate.ts';
import { createLiveHandler, createReadyHandler } from './handlers/health.ts';
import { createDerivedKeyHandler } from './handlers/keys/create-derived-key.ts';
import { createGeminiModelGetHandler, createGeminiModelsListHandler } from './handlers/models/gemini-models.ts';
import { createModelGetHandler, createModelsListHandler } from './handlers/models/models.ts';
import { createResponsesHandler } from './handlers/responses.ts';
import { apiErrors } from './shared/errors/api-error.ts';
import type { TollgateRequest, TollgateResponse } from './shared/request/request-context.ts';
import { namesGenerativeMethod, unsupportedReason } from './shared/request/surface.ts';

type Handler = (req: TollgateRequest, res: TollgateResponse) => void | Promise<void>;

/** Creates the HTTP server with all endpoints; it does not listen yet. */
export function createServer(deps: Dependencies): Server {
  return deps.edge.createServer(createApp(deps));
}

/** Builds the application: ids and trace, authentication, endpoints, and one place that renders errors. */
function createApp(deps: Dependencies): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.use(deps.edge.openRequest);
  app.use(checkHead);
  app.head('/', (_req, res) => void res.status(200).end());
  health(app, '/health/live', createLiveHandler());
  health(app, '/health/ready', createReadyHandler(deps));
  app.use(deps.edge.authenticate);

  const serve = (method: 'get' | 'post', paths: readonly string[], handler: Handler) => {
    for (const path of paths) endpoint(app, method, path, handler);
  };
  serve('post', ['/v1/chat/completions', '/chat/completions'], createGenerateHandler(deps, openaiChat, 400));
  webSockets(app, deps.edge);
  serve('post', SOCKET_PATHS, createResponsesHandler(deps));
  serve('post', ['/v1/responses/compact', '/responses/compact'], createGenerateHandler(deps, openaiCompaction, 400));
  serve(
    'post',
    ['/v1/responses/input_tokens', '/responses/input_tokens'],
    createCountTokensHandler(deps, openaiResponses),
  );
  serve('post', ['/v1/messages', '/messages'], createGenerateHandler(deps, anthropicMessages, 402));
  serve(
    'post',
    ['/v1/messages/count_tokens', '/messages/count_tokens'],
    createCountTokensHandler(deps, anthropicMessages),
  );
  serve('post', ['/v1/embeddings', '/embeddings'], createEmbeddingsHandler(deps));
  serve('get', ['/v1/models', '/models'], createModelsListHandler(deps));
  serve('get', ['/v1beta/models'], createGeminiModelsListHandler(deps));
  generativeMethods(app, createGeminiMethodsHandler(deps));
  serve('get', ['/v1beta/models/*id'], createGeminiModelGetHandler(deps));
  serve('get', ['/v1/models/*id', '/models/*id'], createModelGetHandler(deps));
  serve('post', ['/v1/keys'], createDerivedKeyHandler(deps));
  serve('get', ['/v1/billing/requests'], createBillingRequestsHandler(deps));
  serve('get', ['/v1/billing/requests/:request_id'], createBillingRequestHandler(deps));
  serve('get', ['/v1/billing/usage'], createBillingUsageHandler(deps));
  serve('get', ['/v1/billing/balance'], createBillingBalanceHandler(deps));
  serve('get', ['/v1/billing/limits'], createBillingLimitsHandler(deps));
  serve('get', ['/v1/billing/deposits'], createBillingDepositsHandler(deps));

  app.use((req: TollgateRequest) => {
    throw apiErrors.unknownPath(req.method, req.path);
  });
  app.use((error: unknown, req: TollgateRequest, res: TollgateResponse, _next: NextFunction) =>
    deps.edge.sendThrown(error, req, res),
  );
  return app;
}

/** Serves a health path, which needs no key. */
function health(app: Express, path: string, handler: Handler): void {
  app.get(path, (req: TollgateRequest, res: TollgateResponse) => {
    res.locals.route = path;
    return handler(req, res);
  });
}

/**
 * Serves `{model}:{method}` under both prefixes that Google's SDKs use, and without one. Registered before the endpoints of single models,
 * whose paths match too.
 */
function generativeMethods(app: Express, handler: Handler): void {
  app.all(
    ['/v1beta/models/*id', '/v1/models/*id', '/models/*id'],
    (req: TollgateRequest, res: TollgateResponse, next: NextFunction) => {
      const isNamed = namesGenerativeMethod(req.path);
      // A POST under /v1beta can only call a method: an unknown method is an unknown path.
      if (!isNamed && !(req.method === 'POST' && res.locals.context.surface === 'generative')) {
        if (unsupportedReason(req.path) !== undefined) throw apiErrors.unknownPath(req.method, req.path);
        return next();
      }
      if (req.method !== 'POST') throw apiErrors.methodNotAllowed(req.method, req.path, 'POST');
      return handler(req, res);
    },
  );
}

/** Serves WebSockets on the paths where responses are created. A GET without an upgrade stays a wrong method. */
function webSockets(app: Express, edge: Edge): void {
  for (const path of SOCKET_PATHS) {
    app.get(path, (req: TollgateRequest, res: TollgateResponse, next: NextFunction) => {
      const upgrade = upgradeOf(req);
      if (upgrade === undefined) return next();
      res.locals.route = path;
      return edge.acceptSocket(req, res, upgrade);
    });
  }
}

/** Serves one method of a path; every other method gets a 405. */
function endpoint(app: Express, method: 'get' | 'post', path: string, handler: Handler): void {
  const allow = method === 'get' ? 'GET, HEAD' : 'POST';
  const route = path.replace('*id', '{id}').replace(/:(\w+)/g, '{$1}');
  app[method](path, (req: TollgateRequest, res: TollgateResponse) => {
    res.locals.route = route;
    return handler(req, res);
  });
  app.all(path, (req: TollgateRequest) => {
    throw apiErrors.methodNotAllowed(req.method, req.path, allow);
  });
}

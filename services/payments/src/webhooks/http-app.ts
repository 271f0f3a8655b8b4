import type { Server } from 'node:http';
import { createHttpServer } from '@tollgate/common/http/create-http-server';
import { awaitsContinue, problemOfHead } from '@tollgate/common/http/unreadable';
import type { Logger } from '@tollgate/common/logging';
import express, { type ErrorRequestHandler, type RequestHandler, type Response } from 'express';
import { SignatureError } from '../providers/provider.ts';
import type { Events } from './events.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_CONNECTIONS = 500;
/** For a request, which is small. */
const TIMES = { headMs: 10_000, requestMs: 15_000 };

export const WEBHOOK_PATH = '/webhooks/stripe';

export interface WebhookServerOptions {
  events: Events;
  logger: Logger;
  /** Why events cannot be handled; undefined: they can. */
  problem: () => string | undefined;
}

/** Creates the HTTP server that the payment provider calls; it does not listen yet. */
export function createWebhookServer({ events, logger, problem }: WebhookServerOptions): Server {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use(checkHead);
  app.get('/health/live', (_req, res) => send(res, 200, { status: 'live' }));
  app.get('/health/ready', (_req, res) => {
    const reason = problem();
    if (reason === undefined) send(res, 200, { status: 'ready' });
    else send(res, 503, { status: 'not ready', reason });
  });
  // The signature is of the bytes as they were sent.
  const readBody = express.raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: false });
  app.post(WEBHOOK_PATH, readBody, createReceive(events, logger));
  app.all(WEBHOOK_PATH, (_req, res) => {
    res.setHeader('allow', 'POST');
    send(res, 405, { error: 'only POST is supported' });
  });
  app.use((_req, res) => send(res, 404, { error: 'unknown path' }));
  app.use(createHandleError(logger));
  return createHttpServer(app, {
    maxConnections: MAX_CONNECTIONS,
    renderUnreadable: ({ message }) => ({ headers: {}, body: JSON.stringify({ error: message }) }),
    times: TIMES,
  });
}

function send(res: Response, status: number, body: object): void {
  res.setHeader('cache-control', 'no-store');
  res.status(status).json(body);
}

const checkHead: RequestHandler = (req, res, next) => {
  const problem = problemOfHead(req);
  if (problem !== undefined) {
    send(res, problem.status, { error: problem.message });
    return;
  }
  if (awaitsContinue(req)) res.writeContinue();
  next();
};

function createReceive(events: Events, logger: Logger): RequestHandler {
  return async (req, res) => {
    // Without a body, express leaves none.
    const body: unknown = req.body;
    const request = {
      body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
      signature: req.get('stripe-signature') ?? '',
    };
    let event: ReturnType<Events['parse']>;
    try {
      event = events.parse(request);
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error;
      logger.warn({ reason: error.message }, 'an event was refused');
      send(res, 400, { error: error.message });
      return;
    }
    try {
      const handled = await events.handle(event);
      if (handled === 'handled') send(res, 200, { received: true });
      else send(res, 503, { error: 'too many events are being handled' });
    } catch (error) {
      logger.error({ err: error, event_id: event.id, type: event.type }, 'an event was not handled');
      send(res, 500, { error: 'the event was not handled' });
    }
  };
}

/** Errors of reading the body have a status; any other one is ours. */
function createHandleError(logger: Logger): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    if (res.headersSent) {
      next(error);
      return;
    }
    const status = statusOf(error);
    if (status >= 500) logger.error({ err: error }, 'a request failed');
    res.setHeader('connection', 'close');
    send(res, status, { error: status >= 500 ? 'internal error' : 'the body cannot be read' });
  };
}

function statusOf(error: unknown): number {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return 500;
  return error.status >= 400 && error.status < 500 ? error.status : 500;
}

import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import type { NextFunction } from 'express';
import type { Dependencies } from '../dependencies.ts';
import { openRequestContext, type TollgateRequest, type TollgateResponse } from './request-context.ts';

/** Gives every request its ids, its span and, once its answer is sent or its client has left, its log line and metrics. */
export function openRequest(deps: Pick<Dependencies, 'config' | 'logger' | 'metrics'>) {
  return (req: TollgateRequest, res: TollgateResponse, next: NextFunction): void => {
    const requestContext = openRequestContext(req, deps.config.TRUST_TRACEPARENT);
    res.locals.context = requestContext;
    res.setHeader('x-trace-id', requestContext.traceUuid);
    res.setHeader('x-request-id', requestContext.requestId);
    res.once('close', () => closeRequest(deps, req, res));
    context.with(trace.setSpan(context.active(), requestContext.span), next);
  };
}

function closeRequest(
  { logger, metrics }: Pick<Dependencies, 'logger' | 'metrics'>,
  req: TollgateRequest,
  res: TollgateResponse,
): void {
  const { span, requestId, traceId, startedAt, key } = res.locals.context;
  const route = res.locals.route ?? 'none';
  const durationMs = performance.now() - startedAt;
  metrics.request(route, res.statusCode, durationMs / 1_000);
  if (span.isRecording()) {
    span.updateName(`${req.method} ${route}`);
    span.setAttributes({
      'http.request.method': req.method,
      'http.route': route,
      'http.response.status_code': res.statusCode,
      'tollgate.request_id': requestId,
      ...(key === undefined ? {} : { 'tollgate.account_id': key.accountId, 'tollgate.key_id': key.keyId }),
    });
    if (res.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
  logger.info(
    {
      trace_id: traceId,
      request_id: requestId,
      account_id: key?.accountId,
      key_id: key?.keyId,
      method: req.method,
      route,
      status: res.statusCode,
      duration_ms: Math.round(durationMs),
      ...(res.writableFinished ? {} : { client_left: true }),
    },
    'request',
  );
}

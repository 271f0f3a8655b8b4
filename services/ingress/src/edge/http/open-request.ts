import { context, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import { createLineWriter, type LineWriter } from '@tollgate/common/logging';
import type { NextFunction } from 'express';
import type { IngressConfig } from '../../config.ts';
import type { Metrics } from '../../shared/metrics.ts';
import {
  openRequestContext,
  type TollgateRequest,
  type TollgateResponse,
} from '../../shared/request/request-context.ts';
import { Cohort } from '../../shared/scheduling.ts';

export interface OpenRequestDependencies {
  config: Pick<IngressConfig, 'LOG_LEVEL' | 'TRUST_TRACEPARENT'>;
  metrics: Metrics;
}

/**
 * Sets the ids and the span of every request; writes its log line and metrics once its response is closed. Requests that
 * arrive in the same iteration of the event loop are passed on together.
 */
export function createOpenRequestMiddleware({ config, metrics }: OpenRequestDependencies) {
  const writeLine: LineWriter<RequestLine> = createLineWriter('ingress', config.LOG_LEVEL, 'request');
  const arrivals = new Cohort();
  return (req: TollgateRequest, res: TollgateResponse, next: NextFunction): void => {
    const requestContext = openRequestContext(req, config.TRUST_TRACEPARENT);
    res.locals.context = requestContext;
    res.setHeader('x-trace-id', requestContext.traceUuid);
    res.setHeader('x-request-id', requestContext.requestId);
    res.once('close', () => closeRequest(writeLine, metrics, req, res));
    arrivals.add(() => context.with(trace.setSpan(ROOT_CONTEXT, requestContext.span), next));
  };
}

/** The fields of a request's line in the log. */
interface RequestLine {
  trace_id: string;
  span_id: string;
  request_id: string;
  account_id: string | undefined;
  key_id: string | undefined;
  method: string;
  route: string;
  status: number;
  duration_ms: number;
  client_left: true | undefined;
}

function closeRequest(
  writeLine: LineWriter<RequestLine>,
  metrics: Metrics,
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
  // A WebSocket takes over the connection of its request.
  const isDelivered = res.writableFinished || res.statusCode === 101;
  writeLine(route.startsWith('/health/') ? 'debug' : 'info', {
    trace_id: traceId,
    span_id: span.spanContext().spanId,
    request_id: requestId,
    account_id: key?.accountId,
    key_id: key?.keyId,
    method: req.method,
    route,
    status: res.statusCode,
    duration_ms: Math.round(durationMs),
    client_left: isDelivered ? undefined : true,
  });
}

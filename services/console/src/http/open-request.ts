import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { dashTraceId } from '@tollgate/common/ids';
import type { Logger } from '@tollgate/common/logging';
import { meterOf, parseTraceparent } from '@tollgate/common/telemetry';
import type { Request, RequestHandler, Response } from 'express';

const tracer = trace.getTracer('tollgate-console');

/** Opens the span of every request; writes its log line and metrics once its response is closed. */
export function createOpenRequestMiddleware(logger: Logger): RequestHandler {
  const durations = meterOf('tollgate-console').createHistogram('http.server.request.duration', {
    unit: 's',
    description: 'From the accepted request to the end of its response.',
    advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] },
  });
  return (req, res, next) => {
    const startedAt = performance.now();
    // A client's trace is linked, not continued: anybody may send any trace id.
    const remote = parseTraceparent(req.get('traceparent') ?? '');
    const links = remote === undefined ? [] : [{ context: remote }];
    const span = tracer.startSpan(req.method, { kind: SpanKind.SERVER, links }, ROOT_CONTEXT);
    const { traceId } = span.spanContext();
    res.setHeader('x-trace-id', dashTraceId(traceId));
    res.once('close', () => {
      const route = routeOf(res);
      const seconds = (performance.now() - startedAt) / 1_000;
      const attributes = { 'http.route': route, 'http.response.status_code': res.statusCode };
      durations.record(seconds, attributes);
      span.updateName(`${req.method} ${route}`);
      span.setAttributes({ 'http.request.method': req.method, ...attributes });
      if (res.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
      logRequest(logger, req, res, { traceId, route, durationMs: Math.round(seconds * 1_000) });
    });
    context.with(trace.setSpan(ROOT_CONTEXT, span), next);
  };
}

/** The pattern of the route, never a path with ids. */
function routeOf(res: Response): string {
  const route: unknown = res.locals['route'];
  return typeof route === 'string' ? route : 'none';
}

function logRequest(
  logger: Logger,
  req: Request,
  res: Response,
  { traceId, route, durationMs }: { traceId: string; route: string; durationMs: number },
): void {
  const level = route.startsWith('/health/') || route === 'none' ? 'debug' : 'info';
  logger[level](
    {
      trace_id: traceId,
      method: req.method,
      route,
      status: res.statusCode,
      duration_ms: durationMs,
      ...(res.writableFinished ? {} : { client_left: true }),
    },
    'request',
  );
}

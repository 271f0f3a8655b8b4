import {
  type Attributes,
  type Context,
  context,
  diag,
  type Meter,
  metrics,
  propagation,
  ROOT_CONTEXT,
  type SpanContext,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { AlwaysOffSampler, NoopSpanProcessor } from '@opentelemetry/sdk-trace';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import type { TraceContext } from '@tollgate/proto/trace';
import type { Logger } from './logging.ts';
import { idGenerator, setRequestSampler } from './request-tracer.ts';
import { type ChosenSampler, samplerOf } from './sampler.ts';
import { logDiagnostics } from './telemetry-diagnostics.ts';

export interface Telemetry {
  /** Sends what is buffered, within the exporter's timeout, and stops. */
  shutdown: () => Promise<void>;
}

export interface TelemetryOptions {
  service: string;
  /** Port of the Prometheus endpoint; undefined for none. */
  metricsPort?: number | undefined;
  host?: string;
  /** Gets problems of the SDK itself, unless `OTEL_LOG_LEVEL` makes the SDK write them to the console. */
  logger?: Logger;
}

/**
 * Starts the OpenTelemetry SDK. Spans go to `OTEL_EXPORTER_OTLP_ENDPOINT` (or its `_TRACES_` form), sampled by
 * `OTEL_TRACES_SAMPLER`; without an endpoint nothing is sampled, and trace ids are still created.
 */
export function startTelemetry(options: TelemetryOptions, env: NodeJS.ProcessEnv = process.env): Telemetry {
  const exporting = Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
  const readers =
    options.metricsPort === undefined
      ? []
      : [new PrometheusExporter({ port: options.metricsPort, host: options.host ?? '0.0.0.0' })];
  // The SDK reads this variable from the process only. Encoding its default of 512 spans delays open requests.
  process.env['OTEL_BSP_MAX_EXPORT_BATCH_SIZE'] ??= '128';
  const { sampler, problem }: ChosenSampler = exporting ? samplerOf(env) : { sampler: new AlwaysOffSampler() };
  const sdk = new NodeSDK({
    resource: resourceFromAttributes({ [ATTR_SERVICE_NAME]: `tollgate-${options.service}` } satisfies Attributes),
    autoDetectResources: false,
    idGenerator,
    sampler,
    instrumentations: [],
    metricReaders: readers,
    logRecordProcessors: [],
    // Without any processor the SDK would make no tracer, and every trace id would be zeros.
    ...(exporting ? {} : { spanProcessors: [new NoopSpanProcessor()] }),
  });
  if (options.logger !== undefined && env['OTEL_LOG_LEVEL'] === undefined) logDiagnostics(options.logger);
  sdk.start();
  setRequestSampler(sampler);
  if (problem !== undefined) diag.error(problem);
  // The API keeps the first registration, even after its SDK has stopped; a later one would measure nothing.
  const unregister = () => {
    setRequestSampler(undefined);
    for (const api of [context, propagation, trace, metrics, diag]) api.disable();
  };
  return { shutdown: () => sdk.shutdown().finally(unregister) };
}

/** The meter of a service, such as `tollgate-auth`. Call it after `startTelemetry`: an earlier meter records nothing. */
export function meterOf(service: string): Meter {
  return metrics.getMeter(service);
}

/** The wire form of a span's context, or undefined when it is not sampled. */
export function toTraceContext(span: SpanContext): TraceContext | undefined {
  if ((span.traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
  return { traceId: Buffer.from(span.traceId, 'hex'), spanId: Buffer.from(span.spanId, 'hex'), flags: span.traceFlags };
}

/** A context whose parent span is the one described by its wire form. */
export function fromTraceContext(wire: TraceContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: Buffer.from(wire.traceId).toString('hex'),
    spanId: Buffer.from(wire.spanId).toString('hex'),
    traceFlags: wire.flags,
    isRemote: true,
  });
}

/** The W3C `traceparent` header of a span. https://www.w3.org/TR/trace-context/#traceparent-header */
export function traceparent(span: SpanContext): string {
  return `00-${span.traceId}-${span.spanId}-${(span.traceFlags & 0xff).toString(16).padStart(2, '0')}`;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * Parses a `traceparent` header; undefined when it is malformed. By hand because the SDK's propagator needs a carrier and a
 * context, which cost more than the parsing.
 */
export function parseTraceparent(header: string): SpanContext | undefined {
  const match = TRACEPARENT.exec(header);
  if (match === null) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = match;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

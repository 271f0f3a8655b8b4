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
import { newSpanId, newTraceId } from './ids.ts';
import type { Logger } from './logging.ts';
import { logDiagnostics } from './telemetry-diagnostics.ts';

export interface Telemetry {
  /** Sends what is buffered, bounded by the exporter's own timeout, and stops. */
  shutdown: () => Promise<void>;
}

export interface TelemetryOptions {
  service: string;
  /** Port of the Prometheus endpoint; undefined for none. */
  metricsPort?: number | undefined;
  host?: string;
  /** Where problems of the SDK itself are reported, unless `OTEL_LOG_LEVEL` has the SDK write them to the console. */
  logger?: Logger;
}

/**
 * Starts the OpenTelemetry SDK. Spans are exported where `OTEL_EXPORTER_OTLP_ENDPOINT` (or its `_TRACES_` form) says,
 * sampled as `OTEL_TRACES_SAMPLER` says; without an endpoint nothing is sampled, and trace ids are still made.
 */
export function startTelemetry(options: TelemetryOptions, env: NodeJS.ProcessEnv = process.env): Telemetry {
  const exporting = Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
  const readers =
    options.metricsPort === undefined
      ? []
      : [new PrometheusExporter({ port: options.metricsPort, host: options.host ?? '0.0.0.0' })];
  // The SDK reads this one from the process alone. Its own 512 hold up every request for the time of encoding them.
  process.env['OTEL_BSP_MAX_EXPORT_BATCH_SIZE'] ??= '128';
  const sdk = new NodeSDK({
    resource: resourceFromAttributes({ [ATTR_SERVICE_NAME]: `tollgate-${options.service}` } satisfies Attributes),
    autoDetectResources: false,
    idGenerator: { generateTraceId: newTraceId, generateSpanId: newSpanId },
    instrumentations: [],
    metricReaders: readers,
    logRecordProcessors: [],
    // Without any processor the SDK would make no tracer, and every trace id would be zeros.
    ...(exporting ? {} : { sampler: new AlwaysOffSampler(), spanProcessors: [new NoopSpanProcessor()] }),
  });
  if (options.logger !== undefined && env['OTEL_LOG_LEVEL'] === undefined) logDiagnostics(options.logger);
  sdk.start();
  // The API keeps the first that registers, even after it stopped; one that starts later would measure nothing.
  const unregister = () => {
    for (const api of [context, propagation, trace, metrics, diag]) api.disable();
  };
  return { shutdown: () => sdk.shutdown().finally(unregister) };
}

/** What a service measures with, such as `tollgate-auth`. Call it after `startTelemetry`; before, nothing is recorded. */
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

/** Reads a `traceparent` header; undefined when it is malformed. */
export function parseTraceparent(header: string): SpanContext | undefined {
  const match = TRACEPARENT.exec(header);
  if (match === null) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = match;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

import { SpanKind, TraceFlags } from '@opentelemetry/api';
import { startOtlpReceiver } from '@tollgate/test-support/gateway/otlp-receiver';
import { afterEach, expect, it, vi } from 'vitest';
import { dashTraceId, isUuid, newSpanId, newTraceId } from './ids.ts';
import { RequestTracer } from './request-tracer.ts';
import { startTelemetry, type Telemetry } from './telemetry.ts';

const NEW_TRACE = { parent: undefined, link: undefined };
let telemetry: Telemetry | undefined;

afterEach(async () => {
  await telemetry?.shutdown();
  telemetry = undefined;
  vi.unstubAllEnvs();
});

/** Exports to this address, with this sampler. */
function start(url: string, sampler: string): void {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  vi.stubEnv('OTEL_TRACES_SAMPLER', sampler);
  telemetry = startTelemetry({ service: 'test' });
}

/** A request with a call; returns its trace id. */
function traceRequest(tracer: RequestTracer): string {
  const request = tracer.startRequest('request', SpanKind.SERVER, NEW_TRACE);
  tracer.startWithin(request, 'call', SpanKind.CLIENT).end();
  request.end();
  return request.spanContext().traceId;
}

it('exports the spans of sampled requests under their trace ids, and no others', async () => {
  const receiver = await startOtlpReceiver();
  start(receiver.url, 'always_on');
  const tracer = new RequestTracer('test');
  const traceIds = [traceRequest(tracer), traceRequest(tracer)];
  await telemetry?.shutdown();
  start(receiver.url, 'always_off');
  const unsampled = traceRequest(tracer);
  await telemetry?.shutdown();
  await receiver.stop();
  for (const traceId of traceIds) {
    const spans = receiver.spansOf(traceId);
    const [root] = spans.filter(({ name }) => name === 'request');
    const [call] = spans.filter(({ name }) => name === 'call');
    expect(spans).toHaveLength(2);
    expect(root?.parentSpanId).toBe('');
    expect(call?.parentSpanId).toBe(root?.spanId);
  }
  expect(receiver.spansOf(unsampled)).toEqual([]);
});

it('gives every request its own ids, whether it is sampled, and before telemetry starts', () => {
  const tracer = new RequestTracer('test');
  const seen = new Set<string>();
  const check = (flags: TraceFlags) => {
    const span = tracer.startRequest('request', SpanKind.SERVER, NEW_TRACE);
    const { traceId, spanId, traceFlags } = span.spanContext();
    expect(isUuid(dashTraceId(traceId))).toBe(true);
    expect(spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(traceFlags).toBe(flags);
    seen.add(traceId).add(spanId);
  };
  check(TraceFlags.NONE);
  start('http://127.0.0.1:9', 'always_off');
  check(TraceFlags.NONE);
  expect(seen.size).toBe(4);
});

it('has ids where the SDK records nothing although the trace is sampled', async () => {
  vi.stubEnv('OTEL_TRACES_EXPORTER', 'none');
  start('http://127.0.0.1:9', 'always_on');
  const { traceId, traceFlags } = new RequestTracer('test')
    .startRequest('request', SpanKind.SERVER, NEW_TRACE)
    .spanContext();
  expect(isUuid(dashTraceId(traceId))).toBe(true);
  expect(traceFlags).toBe(TraceFlags.NONE);
});

it.each([TraceFlags.SAMPLED, TraceFlags.NONE])('continues the trace of a parent with its flags, %s', (flags) => {
  start('http://127.0.0.1:9', 'parentbased_always_on');
  const parent = { traceId: newTraceId(), spanId: newSpanId(), traceFlags: flags, isRemote: true };
  const span = new RequestTracer('test').startRequest('request', SpanKind.SERVER, { parent, link: undefined });
  expect(span.spanContext()).toMatchObject({ traceId: parent.traceId, traceFlags: flags });
  expect(span.spanContext().spanId).not.toBe(parent.spanId);
});

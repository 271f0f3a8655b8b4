import { trace } from '@opentelemetry/api';
import { afterEach, expect, it } from 'vitest';
import { dashTraceId, isUuid } from './ids.ts';
import { startTelemetry, type Telemetry } from './telemetry.ts';

let telemetry: Telemetry | undefined;

afterEach(async () => {
  await telemetry?.shutdown();
  trace.disable();
});

it('gives every span a trace id of its own where spans are exported nowhere', () => {
  telemetry = startTelemetry({ service: 'test' }, {});
  const tracer = trace.getTracer('test');
  const [first, second] = [tracer.startSpan('a').spanContext(), tracer.startSpan('b').spanContext()];
  expect(isUuid(dashTraceId(first.traceId))).toBe(true);
  expect(first.traceId).not.toMatch(/^0+$/);
  expect(first.traceId).not.toBe(second.traceId);
  expect(first.traceFlags).toBe(0);
});

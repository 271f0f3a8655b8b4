import { trace } from '@opentelemetry/api';
import { findFreePort } from '@tollgate/local';
import { afterEach, expect, it } from 'vitest';
import { dashTraceId, isUuid } from './ids.ts';
import { meterOf, startTelemetry, type Telemetry } from './telemetry.ts';

let telemetry: Telemetry | undefined;

afterEach(() => telemetry?.shutdown());

it('gives every span its own trace id without an exporter', () => {
  telemetry = startTelemetry({ service: 'test' }, {});
  const tracer = trace.getTracer('test');
  const [first, second] = [tracer.startSpan('a').spanContext(), tracer.startSpan('b').spanContext()];
  expect(isUuid(dashTraceId(first.traceId))).toBe(true);
  expect(first.traceId).not.toMatch(/^0+$/);
  expect(first.traceId).not.toBe(second.traceId);
  expect(first.traceFlags).toBe(0);
});

it('can be started again after it was stopped', async () => {
  for (const value of [1, 2]) {
    const metricsPort = await findFreePort();
    telemetry = startTelemetry({ service: 'test', metricsPort, host: '127.0.0.1' }, {});
    meterOf('test')
      .createObservableGauge('tollgate.test')
      .addCallback((result) => result.observe(value));
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(/^tollgate_test\{.*\} (.*)$/m.exec(text)?.[1]).toBe(String(value));
    await telemetry.shutdown();
  }
});

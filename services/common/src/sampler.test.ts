import { ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace';
import { expect, it } from 'vitest';
import { newSpanId, newTraceId } from './ids.ts';
import { samplerOf } from './sampler.ts';

/** The share of traces that are sampled, without a parent or with one that is or is not. */
function shareOf(name: string | undefined, argument: string | undefined, parentFlags?: TraceFlags): number {
  const { sampler } = samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument });
  const traces = Array.from({ length: 2_000 }, newTraceId);
  const sampled = traces.filter((traceId) => {
    const parent = { traceId, spanId: newSpanId(), traceFlags: parentFlags ?? TraceFlags.NONE, isRemote: true };
    const context = parentFlags === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const { decision } = sampler.shouldSample(context, traceId, 'a span', SpanKind.SERVER, {}, []);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  });
  return sampled.length / traces.length;
}

it.each([
  [undefined, undefined, 1, 1, 0],
  ['parentbased_always_on', undefined, 1, 1, 0],
  ['parentbased_always_off', undefined, 0, 1, 0],
  ['parentbased_traceidratio', '0', 0, 1, 0],
  ['always_on', undefined, 1, 1, 1],
  ['always_off', undefined, 0, 0, 0],
  ['traceidratio', '1', 1, 1, 1],
])('%s %s samples new traces, and those of sampled and of unsampled parents', (name, argument, fresh, on, off) => {
  expect(shareOf(name, argument)).toBe(fresh);
  expect(shareOf(name, argument, TraceFlags.SAMPLED)).toBe(on);
  expect(shareOf(name, argument, TraceFlags.NONE)).toBe(off);
});

it.each(['traceidratio', 'parentbased_traceidratio'])('%s samples the given share of new traces', (name) => {
  expect(shareOf(name, '0.25')).toBeGreaterThan(0.15);
  expect(shareOf(name, '0.25')).toBeLessThan(0.35);
});

it.each([
  ['sometimes', undefined, 'OTEL_TRACES_SAMPLER'],
  ['traceidratio', undefined, 'OTEL_TRACES_SAMPLER_ARG'],
  ['parentbased_traceidratio', '10 %', 'OTEL_TRACES_SAMPLER_ARG'],
  ['parentbased_traceidratio', '1.5', 'OTEL_TRACES_SAMPLER_ARG'],
])('%s %s names the wrong setting and samples everything', (name, argument, setting) => {
  expect(samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument }).problem).toContain(`${setting}: `);
  expect(shareOf(name, argument)).toBe(1);
});

import { INVALID_SPAN_CONTEXT, type Span, trace } from '@opentelemetry/api';
import { usageOf } from '@tollgate/protocols/canonical/usage';
import { expect, it } from 'vitest';
import { setResponseAttributes } from './span-attributes.ts';

it('contain implausible figures, short and redacted', () => {
  const { span, attributes } = recordingSpan();
  const redact = (text: string) => text.replaceAll('a-credential', '***');
  const implausible = { input: 9, output: 1e308, reasoning: 'a-credential', search: { deep: 'x'.repeat(1_000) } };
  const attempt = { span, redact };
  setResponseAttributes(
    attempt,
    {
      usage: usageOf({ input: 9, output: 3 }),
      priced: { lines: [], costNanos: 0n, version: 'v', unpriced: [] },
      estimated: true,
      implausible,
    },
    'a-credential',
  );
  expect(attributes).toEqual({
    'gen_ai.response.finish_reasons': ['***'],
    'gen_ai.usage.input_tokens': 9,
    'gen_ai.usage.output_tokens': 3,
    'tollgate.usage_estimated': true,
    'tollgate.usage_disbelieved': '{"input":9,"output":1e+308,"reasoning":"***","search":"object"}',
  });
});

/** A span that records its attributes. */
function recordingSpan(): { span: Span; attributes: Record<string, unknown> } {
  const attributes: Record<string, unknown> = {};
  const span = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
  span.isRecording = () => true;
  span.setAttribute = (key, value) => {
    attributes[key] = value;
    return span;
  };
  span.setAttributes = (more) => {
    Object.assign(attributes, more);
    return span;
  };
  return { span, attributes };
}

import { inputTokensOf } from '@tollgate/protocols/canonical/usage';
import type { Attempt } from './exchange.ts';
import type { MeteredUsage } from './meter.ts';
import { recordText, reportedUsageText } from './record-text.ts';

/**
 * Sets a response's attributes on the span of its call, by the GenAI semantic conventions.
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
 */
export function setResponseAttributes(
  { span, redact }: Pick<Attempt, 'span' | 'redact'>,
  metered: MeteredUsage | undefined,
  finishReason: string,
): void {
  if (!span.isRecording()) return;
  if (finishReason !== '') span.setAttribute('gen_ai.response.finish_reasons', [recordText(finishReason, redact)]);
  if (metered === undefined) return;
  const { usage, implausible } = metered;
  if (implausible !== undefined)
    span.setAttribute('tollgate.usage_disbelieved', reportedUsageText(implausible, redact));
  span.setAttributes({
    'gen_ai.usage.input_tokens': inputTokensOf(usage),
    'gen_ai.usage.output_tokens': usage.output + usage.reasoning,
    'tollgate.usage_estimated': metered.estimated,
  });
}

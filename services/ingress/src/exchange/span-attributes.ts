import type { Attempt } from './exchange.ts';
import type { Metered } from './metered.ts';
import { recordText } from './record-text.ts';
import { reportedUsageText } from './reported-usage.ts';

/**
 * Puts what came of a call on its span, by the GenAI conventions.
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
 */
export function describeAnswer(
  { span, redact }: Pick<Attempt, 'span' | 'redact'>,
  metered: Metered | undefined,
  finishReason: string,
): void {
  if (!span.isRecording()) return;
  if (finishReason !== '') span.setAttribute('gen_ai.response.finish_reasons', [recordText(finishReason, redact)]);
  if (metered === undefined) return;
  const { usage, disbelieved } = metered;
  if (disbelieved !== undefined)
    span.setAttribute('tollgate.usage_disbelieved', reportedUsageText(disbelieved, redact));
  span.setAttributes({
    'gen_ai.usage.input_tokens': usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h,
    'gen_ai.usage.output_tokens': usage.output + usage.reasoning,
    'tollgate.usage_estimated': metered.estimated,
  });
}

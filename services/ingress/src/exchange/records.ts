import type { Attempt as AttemptRecord } from '@tollgate/proto/ledger';
import { inputTokensOf, type ReportedFigures } from '@tollgate/protocols/canonical/usage';
import type { Redact } from './credentials/redaction.ts';
import type { Attempt, Exchange } from './exchange.ts';
import type { MeteredUsage } from './meter.ts';
import { causeOf, type UpstreamFailure } from './upstream/failure.ts';

/** Shared, because nearly every charge has none. */
const NO_ATTEMPTS: AttemptRecord[] = [];

/** What a charge records of one call: no text of the upstream. */
export function attemptRecord(
  { context }: Pick<Exchange, 'context'>,
  { route, startedAt, providerStatus }: Attempt,
  failure: UpstreamFailure | undefined,
): AttemptRecord {
  return {
    deployment: route.deployment.deploymentId,
    startedMs: Math.round(startedAt - context.startedAt),
    durationMs: Math.round(performance.now() - startedAt),
    cause: failure === undefined ? '' : causeOf(failure),
    providerStatus,
  };
}

/** All calls up to an attempt; empty if the first one succeeded, so that such a charge is no larger. */
export function attemptRecords(
  exchange: Pick<Exchange, 'context'>,
  attempt: Attempt,
  failure: UpstreamFailure | undefined,
): AttemptRecord[] {
  if (failure === undefined && attempt.earlier.length === 0) return NO_ATTEMPTS;
  return [...attempt.earlier, attemptRecord(exchange, attempt, failure)];
}

/** Longer than any finish reason of a provider. */
const MAX_CHARACTERS = 100;

/** Characters that are redacted before the text is cut: enough to find a credential in the part that is kept. */
const MAX_REDACTED_CHARACTERS = 2_000;

/** An upstream's text for records and spans: redacted, short, well-formed and without control characters. */
export function recordText(text: string, redact: Redact): string {
  return redact(text.slice(0, MAX_REDACTED_CHARACTERS))
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, MAX_CHARACTERS)
    .toWellFormed();
}

/** Even if every character is escaped, figures of this length fit into what the ledger accepts. */
const MAX_FIGURE_CHARACTERS = 16;

/**
 * Implausible figures for records and spans: a JSON object by bucket, without control characters and never longer than
 * MAX_REPORTED_USAGE_LENGTH. Numbers and booleans are kept, texts are cut, and objects and arrays are only named as such.
 */
export function reportedUsageText(figures: ReportedFigures, redact: Redact): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(figures).map(([bucket, figure]) => [bucket, keptFigure(figure, redact)])),
  );
}

function keptFigure(figure: unknown, redact: Redact): string | number | boolean {
  if (typeof figure === 'object') return Array.isArray(figure) ? 'array' : 'object';
  const text = recordText(String(figure), redact);
  const isPlain = typeof figure === 'boolean' || (typeof figure === 'number' && Number.isFinite(figure));
  // A credential may look like a number.
  if (isPlain && text === String(figure)) return figure;
  return text.slice(0, MAX_FIGURE_CHARACTERS).toWellFormed();
}

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

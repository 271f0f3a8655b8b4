import { trace } from '@opentelemetry/api';
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

export type { Logger } from 'pino';

/** Fields that must never reach a log, wherever a caller might put them by mistake. */
const SECRET_FIELDS = [
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api_key',
  'apiKey',
  'secret',
  'password',
  'credential',
  'messages',
  'prompt',
  'completion',
  'body',
];

/**
 * Creates a service's logger: JSON lines on standard output with `service`, and `trace_id` and `span_id` of the active
 * span where there is one.
 *
 * @param destination where lines go instead, for tests
 */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_FIELDS.flatMap((field) => [key(field), `*${key(field, true)}`]), censor: '[redacted]' },
    mixin: () => {
      const context = trace.getActiveSpan()?.spanContext();
      return context === undefined ? {} : { trace_id: context.traceId, span_id: context.spanId };
    },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

function key(field: string, nested = false): string {
  if (/^\w+$/.test(field)) return nested ? `.${field}` : field;
  return `["${field}"]`;
}

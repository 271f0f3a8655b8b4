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

/** Lines are written together once they make this many bytes, or after the interval. */
const WRITE_AT_BYTES = 4_096;
const WRITE_EVERY_MS = 100;
/** A reader that falls this far behind loses lines, rather than the service its memory. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

export interface LoggerOptions {
  /** Where lines go instead of standard output, for tests. */
  destination?: DestinationStream;
  /** Off only for lines whose fields are all written out in the code and known to be harmless. */
  redact?: boolean;
}

/**
 * Creates a service's logger: JSON lines on standard output with `service`, and `trace_id` and `span_id` of the active
 * span where there is one. Lines are written in the background, so that a slow reader holds up nothing; those still
 * unwritten go out when the process exits, and at once with a fatal one.
 */
export function createLogger(service: string, level: string, options: LoggerOptions = {}): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label: string) => ({ level: label }) },
      ...(options.redact === false ? {} : { redact: { paths: SECRET_PATHS, censor: '[redacted]' } }),
      mixin: () => {
        const context = trace.getActiveSpan()?.spanContext();
        return context === undefined ? {} : { trace_id: context.traceId, span_id: context.spanId };
      },
    },
    options.destination ?? standardOutput(),
  );
}

let output: DestinationStream | undefined;

/** One for the whole process, so that lines of several loggers do not cut into each other. */
function standardOutput(): DestinationStream {
  if (output !== undefined) return output;
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: WRITE_AT_BYTES,
    maxLength: MAX_BUFFERED_BYTES,
    periodicFlush: WRITE_EVERY_MS,
  });
  process.on('exit', () => destination.flushSync());
  output = destination;
  return destination;
}

const SECRET_PATHS = SECRET_FIELDS.flatMap((field) => [key(field), `*${key(field, true)}`]);

function key(field: string, nested = false): string {
  if (/^\w+$/.test(field)) return nested ? `.${field}` : field;
  return `["${field}"]`;
}

import { trace } from '@opentelemetry/api';
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** Fields that must never reach a log, even if a caller adds them by mistake. */
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
 * Lines are written once they amount to this many characters, a little less than what the stream writes at once, or after the
 * interval: each write wakes a thread and then the event loop.
 */
const WRITE_AT_LENGTH = 15 * 1024;
const WRITE_EVERY_MS = 100;
/** When the reader falls this far behind, lines are dropped rather than buffered. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

export interface LoggerOptions {
  /** Gets the lines instead of standard output, for tests. */
  destination?: DestinationStream;
}

/**
 * Creates a service's logger: JSON lines on standard output with `service`, and `trace_id` and `span_id` of the active
 * span if there is one. Lines are written in the background, so that a slow reader delays nothing; the rest is written when
 * the process exits, and with a fatal line.
 */
export function createLogger(service: string, level: string, options: LoggerOptions = {}): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: () => `,"time":"${isoTime(Date.now())}"`,
      formatters: { level: (label: string) => ({ level: label }) },
      redact: { paths: SECRET_PATHS, censor: '[redacted]' },
      mixin: () => {
        const context = trace.getActiveSpan()?.spanContext();
        return context === undefined ? {} : { trace_id: context.traceId, span_id: context.spanId };
      },
    },
    options.destination ?? standardOutput(),
  );
}

/** Writes one line with these fields, if its level is enabled. */
export type LineWriter<Fields extends object> = (level: 'debug' | 'info', fields: Fields) => void;

/**
 * Creates the writer of a line that every request has: as a logger's line, at a quarter of its cost, because nothing is
 * redacted, serialized or merged. Only for fields that are listed in the code and known to be harmless.
 */
export function createLineWriter<Fields extends object>(
  service: string,
  minimumLevel: string,
  message: string,
  { destination = standardOutput() }: LoggerOptions = {},
): LineWriter<Fields> {
  const minimum = pino.levels.values[minimumLevel] ?? Number.POSITIVE_INFINITY;
  const partsOf = (level: 'debug' | 'info') => ({
    isEnabled: (pino.levels.values[level] ?? 0) >= minimum,
    start: `{"level":"${level}","time":"`,
  });
  const levels = { debug: partsOf('debug'), info: partsOf('info') };
  const afterTime = `","service":${JSON.stringify(service)},`;
  const end = `,"msg":${JSON.stringify(message)}}\n`;
  return (level, fields) => {
    const { isEnabled, start } = levels[level];
    if (!isEnabled) return;
    destination.write(start + isoTime(Date.now()) + afterTime + JSON.stringify(fields).slice(1, -1) + end);
  };
}

let second = Number.NaN;
let secondText = '';

/** A time as `Date.toISOString` writes it. Only the milliseconds are formatted each time. */
function isoTime(nowMs: number): string {
  const nowSecond = Math.floor(nowMs / 1_000);
  if (nowSecond !== second) {
    second = nowSecond;
    secondText = new Date(nowMs).toISOString().slice(0, -4);
  }
  return `${secondText}${String(nowMs % 1_000).padStart(3, '0')}Z`;
}

let output: DestinationStream | undefined;

/**
 * One per process, so that lines of several loggers do not interleave. At the end it writes everything before it returns,
 * except a block that is already being written, which may then follow the rest. Pino does so with a fatal line, too.
 */
function standardOutput(): DestinationStream {
  if (output !== undefined) return output;
  const stream = pino.destination({
    dest: 1,
    sync: false,
    minLength: WRITE_AT_LENGTH,
    periodicFlush: WRITE_EVERY_MS,
    maxLength: MAX_BUFFERED_BYTES,
  });
  process.on('exit', () => stream.flushSync());
  output = stream;
  return stream;
}

const SECRET_PATHS = SECRET_FIELDS.flatMap((field) => [key(field), `*${key(field, true)}`]);

function key(field: string, nested = false): string {
  if (/^\w+$/.test(field)) return nested ? `.${field}` : field;
  return `["${field}"]`;
}

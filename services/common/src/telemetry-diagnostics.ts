import { type DiagLogger, DiagLogLevel, diag } from '@opentelemetry/api';
import type { Logger } from './logging.ts';

/** While a collector is down, every batch of spans fails, several per second under load. */
const MIN_INTERVAL_MS = 60_000;
/** The message includes the collector's response. */
const MAX_MESSAGE_LENGTH = 500;

/** Logs the warnings and errors of the OpenTelemetry SDK, such as failed exports, which it reports nowhere else. */
export function logDiagnostics(logger: Logger): void {
  diag.setLogger(
    diagnosticLogger(logger, () => performance.now()),
    {
      logLevel: DiagLogLevel.WARN,
      suppressOverrideMessage: true,
    },
  );
}

/** Writes at most one line per level and minute; `suppressed` counts those left out since the last one. */
export function diagnosticLogger(logger: Pick<Logger, 'warn' | 'error'>, now: () => number): DiagLogger {
  const limited = (level: 'warn' | 'error') => {
    let lastMs = Number.NEGATIVE_INFINITY;
    let suppressed = 0;
    return (message: string) => {
      if (now() - lastMs < MIN_INTERVAL_MS) {
        suppressed += 1;
        return;
      }
      logger[level]({ detail: message.slice(0, MAX_MESSAGE_LENGTH), suppressed }, 'OpenTelemetry reports a problem');
      lastMs = now();
      suppressed = 0;
    };
  };
  const unused = () => undefined;
  return { warn: limited('warn'), error: limited('error'), info: unused, debug: unused, verbose: unused };
}

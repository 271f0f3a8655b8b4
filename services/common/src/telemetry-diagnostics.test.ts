import { trace } from '@opentelemetry/api';
import { findFreePort } from '@tollgate/local';
import { afterEach, expect, it, vi } from 'vitest';
import { createLogger } from './logging.ts';
import { startTelemetry, type Telemetry } from './telemetry.ts';
import { diagnosticLogger } from './telemetry-diagnostics.ts';

interface Line {
  level: string;
  msg: string;
  detail: string;
  suppressed: number;
}

let telemetry: Telemetry | undefined;

afterEach(async () => {
  vi.unstubAllEnvs();
  await telemetry?.shutdown();
});

function capture() {
  const lines: Line[] = [];
  const logger = createLogger('test', 'info', {
    destination: { write: (text: string) => void lines.push(JSON.parse(text)) },
  });
  return { lines, logger };
}

it('logs an export of spans that failed', async () => {
  const { lines, logger } = capture();
  const endpoint = `http://127.0.0.1:${await findFreePort()}`;
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint);
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '1');
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '1');
  telemetry = startTelemetry({ service: 'test', logger });
  trace.getTracer('test').startSpan('a').end();
  await vi.waitFor(() => expect(lines).toHaveLength(1), { timeout: 30_000 });
  expect(lines[0]).toMatchObject({ level: 'error', msg: 'OpenTelemetry reports a problem', suppressed: 0 });
  expect(lines[0]?.detail).not.toBe('');
});

it('writes one line of a level a minute, and says how many it left out', () => {
  const { lines, logger } = capture();
  let nowMs = 0;
  const diagnostics = diagnosticLogger(logger, () => nowMs);
  diagnostics.error('x'.repeat(10_000));
  diagnostics.warn('another level');
  nowMs = 59_999;
  diagnostics.error('left out');
  nowMs = 60_000;
  diagnostics.error('next');
  expect(lines.map(({ level, detail, suppressed }) => [level, detail.length, suppressed])).toEqual([
    ['error', 500, 0],
    ['warn', 13, 0],
    ['error', 4, 1],
  ]);
});

import { expect, it } from 'vitest';
import { createLogger } from './logging.ts';
import { diagnosticLogger } from './telemetry-diagnostics.ts';

interface Line {
  level: string;
  msg: string;
  detail: string;
  suppressed: number;
}

it('writes one line of a level a minute, and says how many it left out', () => {
  const lines: Line[] = [];
  const logger = createLogger('test', 'info', {
    destination: { write: (text: string) => void lines.push(JSON.parse(text)) },
  });
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

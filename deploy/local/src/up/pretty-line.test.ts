import { describe, expect, it } from 'vitest';
import { prettyLine } from './pretty-line.ts';

const warning = JSON.stringify({
  level: 'warn',
  time: '2026-01-02T03:04:05.678Z',
  service: 'ingress',
  pid: 1,
  attempt: 2,
  err: { type: 'Error', message: 'no answer', stack: 'Error: no answer\n    at' },
  msg: 'the upstream failed',
});

describe('prettyLine', () => {
  it('shows warnings with their fields, and errors by their message', () => {
    expect(prettyLine('ingress-2', warning, false)).toBe(
      '03:04:05 WARN  ingress-2: the upstream failed attempt=2 err="no answer"',
    );
    expect(prettyLine('ingress', warning, true)).toContain('\u001b[33mWARN');
  });

  it.each([
    JSON.stringify({ level: 'info', msg: 'serving' }),
    'plain text of another program',
    '{"level":"warn"',
    '{"level":40}',
    '[]',
    '',
  ])('keeps %j out of the terminal', (line) => {
    expect(prettyLine('auth', line, false)).toBeUndefined();
  });

  it('shows a panic of Postgres', () => {
    expect(prettyLine('postgres', '2026 [1] PANIC:  could not write', false)).toContain('PANIC');
  });
});

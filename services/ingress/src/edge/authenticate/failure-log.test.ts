import { createLogger } from '@tollgate/common/logging';
import { expect, it } from 'vitest';
import type { FailureReason } from '../../shared/errors/error-texts.ts';
import { FailureLog } from './failure-log.ts';

interface Line {
  msg: string;
  client_address?: string;
  count: number;
  reasons: Partial<Record<FailureReason, number>>;
}

function make() {
  const lines: Line[] = [];
  const counted: FailureReason[] = [];
  const logger = createLogger('test', 'info', { destination: { write: (text) => lines.push(JSON.parse(text)) } });
  const failures = new FailureLog(logger, { failedAuthentication: (reason) => counted.push(reason) });
  return { failures, lines, counted };
}

it('logs a line for each network and interval, with the count of each reason', () => {
  const { failures, lines, counted } = make();
  for (let time = 0; time < 3; time++) failures.count('a', 'unknown');
  failures.count('a', 'malformed');
  failures.count('b', 'missing');
  expect(lines).toEqual([]);
  failures.stop();
  expect(lines).toMatchObject([
    { msg: 'failed authentications', client_address: 'a', count: 4, reasons: { unknown: 3, malformed: 1 } },
    { msg: 'failed authentications', client_address: 'b', count: 1, reasons: { missing: 1 } },
  ]);
  expect(counted).toEqual(['unknown', 'unknown', 'unknown', 'malformed', 'missing']);
  failures.stop();
  expect(lines).toHaveLength(2);
});

it('logs a bounded number of lines under a flood from many networks', () => {
  const { failures, lines } = make();
  for (let index = 0; index < 30_000; index++) failures.count(`n${index}`, 'missing');
  failures.count('n7', 'missing');
  failures.stop();
  expect(lines).toHaveLength(51);
  expect(lines[0]).toMatchObject({ client_address: 'n7', count: 2 });
  expect(lines.at(-1)).toMatchObject({ msg: 'failed authentications from further addresses' });
  expect(lines.reduce((sum, { count }) => sum + count, 0)).toBe(30_001);
});

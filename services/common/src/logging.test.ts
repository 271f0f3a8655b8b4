import { execFile } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { createLineWriter, createLogger } from './logging.ts';

const FIELDS = {
  trace_id: '0123456789abcdef0123456789abcdef',
  account_id: undefined,
  method: 'POST',
  route: 'a "quoted" route\n',
  status: 200,
};

function lines() {
  const written: string[] = [];
  return { written, destination: { write: (line: string) => void written.push(line) } };
}

describe('a line of a line writer', () => {
  it('is as a logger writes it', () => {
    const { written, destination } = lines();
    createLogger('a-service', 'info', { destination }).info(FIELDS, 'request');
    createLineWriter('a-service', 'info', 'request', { destination })('info', FIELDS);
    const [logged = '', line = ''] = written;
    const withoutTime = (text: string) => text.replace(/"time":"[^"]*"/, '');
    expect(withoutTime(line)).toBe(withoutTime(logged));
    expect(line.endsWith('}\n')).toBe(true);
  });

  it('is left out below the minimum level', () => {
    const { written, destination } = lines();
    for (const level of ['silent', 'warn', 'info', 'debug']) {
      const write = createLineWriter('a-service', level, level, { destination });
      write('debug', FIELDS);
      write('info', FIELDS);
    }
    expect(written.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'info', msg: 'info' },
      { level: 'debug', msg: 'debug' },
      { level: 'info', msg: 'debug' },
    ]);
  });
});

it('lines have the time in ISO 8601 with milliseconds', () => {
  const { written, destination } = lines();
  const logger = createLogger('a-service', 'info', { destination });
  const start = Date.parse('2026-12-31T23:59:58.990Z');
  const times = [0, 9, 10, 17, 1_010, 1_009, 86_400_000].map((ms) => start + ms);
  for (const time of times) {
    vi.useFakeTimers({ now: time });
    logger.info('a message');
  }
  vi.useRealTimers();
  expect(written.map((line) => JSON.parse(line).time)).toEqual(times.map((time) => new Date(time).toISOString()));
});

it('secrets that a caller adds by mistake are redacted', () => {
  const { written, destination } = lines();
  createLogger('a-service', 'info', { destination }).info(
    { authorization: 'a-secret', nested: { prompt: 'a-secret' } },
    'a message',
  );
  expect(written[0]).not.toContain('a-secret');
  expect(JSON.parse(written[0] ?? '')).toMatchObject({ authorization: '[redacted]', nested: { prompt: '[redacted]' } });
});

describe('lines on standard output', () => {
  it.each([
    ['ends', 400, ''],
    // Less than one block: the system may kill the process before it has written a block in the background.
    ['logs a fatal line and is killed', 20, "logger.fatal('fatal'); process.kill(process.pid, 'SIGKILL');"],
    ['logs again after a while', 400, "setTimeout(() => logger.info('later'), 300);"],
  ])('are complete and in order when the process %s', async (_, count, end) => {
    const { numbers, last } = await outputOf(count, end);
    expect(numbers).toEqual(Array.from({ length: count }, (_line, n) => n));
    expect(last).toBe(/'(fatal|later)'/.exec(end)?.[1] ?? 'a line');
  });

  it('are complete when the process exits at once, though a block that is being written may follow the rest', async () => {
    const { numbers } = await outputOf(400, 'process.exit(0);');
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 400 }, (_line, n) => n));
    // One block out of place interrupts the order twice at most.
    expect(numbers.filter((n, at) => at > 0 && n - 1 !== numbers[at - 1]).length).toBeLessThanOrEqual(2);
  });
});

/** What a process writes that logs numbered lines, alternately with both kinds of writers, and then ends like this. */
async function outputOf(count: number, end: string): Promise<{ numbers: number[]; last: unknown }> {
  const script = `
    const { createLineWriter, createLogger } = await import(${JSON.stringify(new URL('./logging.ts', import.meta.url).href)});
    const logger = createLogger('a-service', 'info');
    const write = createLineWriter('a-service', 'info', 'a line');
    for (let n = 0; n < ${count}; n += 2) { logger.info({ n }, 'a line'); write('info', { n: n + 1 }); }
    ${end}`;
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, ['--input-type=module', '-e', script], (_error, stdout) => resolve(stdout));
  });
  const written = output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { numbers: written.filter(({ msg }) => msg === 'a line').map(({ n }) => n), last: written.at(-1)?.msg };
}

import { createLogger } from '@tollgate/common/logging';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Acquaintance, Attempts, type FailureReason, type Verdict } from './attempts.ts';

// Answers are held back for a second, which on a busy machine can be over before a test has looked.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const STRANGER: Acquaintance = { kind: 'none' };

interface Line {
  msg: string;
  client_address?: string;
  count: number;
  reasons: Partial<Record<FailureReason, number>>;
}

function make(burst = 20) {
  const lines: Line[] = [];
  const counted: FailureReason[] = [];
  const clock = { ms: 1_000 };
  const logger = createLogger('test', 'info', { destination: { write: (text) => lines.push(JSON.parse(text)) } });
  const attempts = new Attempts({ logger, count: (reason) => counted.push(reason), burst, now: () => clock.ms });
  return { attempts, lines, counted, clock };
}

/** A client of a network that has left already: nothing waits for it. */
function gone(network: string) {
  return { network, onLeft: (listener: () => void) => listener(), isLight: true };
}

/** A client that stays until it is told to leave. */
function staying(network: string) {
  let leave = (): void => undefined;
  const onLeft = (listener: () => void) => {
    leave = listener;
  };
  return { attempt: { network, onLeft, isLight: true }, leave: () => leave() };
}

async function failTimes(attempts: Attempts, network: string, times: number): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (let time = 0; time < times; time++) verdicts.push(await attempts.failed(gone(network), 'unknown'));
  return verdicts;
}

describe('refused keys of one network', () => {
  it('are answered at once while they are few, then held back, then told to slow down', async () => {
    const { attempts, clock } = make();
    expect(await failTimes(attempts, 'a', 20)).toEqual(Array(20).fill({ kind: 'refuse' }));
    const held = Array.from({ length: 32 }, () => staying('a'));
    let answered = 0;
    const waiting = held.map(async ({ attempt }) => {
      const verdict = await attempts.failed(attempt, 'malformed');
      answered += 1;
      return verdict;
    });
    await new Promise(setImmediate);
    expect(answered).toBe(0);
    expect(await attempts.failed(gone('a'), 'malformed')).toEqual({ kind: 'slow_down', retryAfterMs: 1_000 });
    expect(await attempts.failed(gone('b'), 'malformed')).toEqual({ kind: 'refuse' });
    clock.ms += 600;
    expect(await attempts.failed(gone('a'), 'malformed')).toEqual({ kind: 'slow_down', retryAfterMs: 400 });
    clock.ms += 400;
    expect(await attempts.failed(gone('a'), 'malformed')).toEqual({ kind: 'refuse' });
    for (const { leave } of held) leave();
    expect(await Promise.all(waiting)).toEqual(Array(32).fill({ kind: 'refuse' }));
  });

  it('are not held back where that takes memory', async () => {
    const { attempts } = make();
    await failTimes(attempts, 'a', 20);
    expect(await attempts.failed({ ...gone('a'), isLight: false }, 'unknown')).toMatchObject({ kind: 'slow_down' });
    expect(await attempts.failed(gone('a'), 'unknown')).toEqual({ kind: 'refuse' });
  });

  it('are never held back where that is switched off', async () => {
    const { attempts, counted } = make(0);
    expect(await failTimes(attempts, 'a', 100)).toEqual(Array(100).fill({ kind: 'refuse' }));
    for (let time = 0; time < 100; time++) attempts.lookedInVain('a', STRANGER);
    expect(attempts.waitBeforeLook('a', STRANGER)).toBe(0);
    expect(counted).toHaveLength(100);
    expect(attempts.networks).toBe(0);
  });

  it('of all networks together are held back in bounded number', async () => {
    const { attempts } = make();
    const held: (() => void)[] = [];
    const waiting: Promise<Verdict>[] = [];
    for (let index = 0; index < 40; index++) {
      await failTimes(attempts, `n${index}`, 20);
      for (let each = 0; each < 25; each++) {
        const { attempt, leave } = staying(`n${index}`);
        waiting.push(attempts.failed(attempt, 'unknown'));
        held.push(leave);
      }
    }
    await failTimes(attempts, 'other', 20);
    expect(await attempts.failed(gone('other'), 'unknown')).toMatchObject({ kind: 'slow_down' });
    for (const leave of held) leave();
    expect(await Promise.all(waiting)).toHaveLength(1_000);
    expect(await attempts.failed(gone('other'), 'unknown')).toEqual({ kind: 'refuse' });
  });
});

describe('looks in vain', () => {
  it('leave a network none but for keys and accounts that are known', () => {
    const { attempts, clock } = make();
    const account: Acquaintance = { kind: 'account', tag: 'abc123' };
    for (let time = 0; time < 20; time++) attempts.lookedInVain('a', STRANGER);
    expect(attempts.waitBeforeLook('a', STRANGER)).toBe(1_000);
    expect(attempts.waitBeforeLook('a', { kind: 'key' })).toBe(0);
    expect(attempts.waitBeforeLook('a', account)).toBe(0);
    expect(attempts.waitBeforeLook('b', STRANGER)).toBe(0);
    clock.ms += 1_000;
    expect(attempts.waitBeforeLook('a', STRANGER)).toBe(0);
  });

  it('in the name of a known account use up that account’s, from that network', () => {
    const { attempts } = make();
    const account: Acquaintance = { kind: 'account', tag: 'abc123' };
    for (let time = 0; time < 20; time++) attempts.lookedInVain('a', STRANGER);
    for (let time = 0; time < 20; time++) attempts.lookedInVain('a', account);
    expect(attempts.waitBeforeLook('a', account)).toBe(1_000);
    expect(attempts.waitBeforeLook('a', { kind: 'account', tag: 'def456' })).toBe(0);
    expect(attempts.waitBeforeLook('b', account)).toBe(0);
  });

  it('are known of accounts whose keys were good, the latest 100,000', () => {
    const { attempts } = make();
    for (let index = 0; index <= 100_000; index++) attempts.welcome(`tag${index}`);
    expect(attempts.isKnownAccount('tag0')).toBe(false);
    expect(attempts.isKnownAccount('tag1')).toBe(true);
    expect(attempts.isKnownAccount('tag100000')).toBe(true);
  });

  it('that were under way together cost as many later ones, up to a bound', () => {
    const { attempts, clock } = make();
    for (let time = 0; time < 1_000; time++) attempts.lookedInVain('a', STRANGER);
    expect(attempts.waitBeforeLook('a', STRANGER)).toBe(21_000);
    clock.ms += 21_000;
    expect(attempts.waitBeforeLook('a', STRANGER)).toBe(0);
  });

  it('of 20,000 networks take no more memory than those of 10,000', () => {
    const { attempts } = make();
    for (let index = 0; index < 20_000; index++) {
      for (let time = 0; time < 20; time++) attempts.lookedInVain(`n${index}`, STRANGER);
    }
    expect(attempts.networks).toBe(10_000);
    expect(attempts.waitBeforeLook('n19999', STRANGER)).toBe(1_000);
  });
});

describe('the log', () => {
  it('has a line for each network and round, with what was counted', async () => {
    const { attempts, lines, counted } = make();
    await failTimes(attempts, 'a', 3);
    await attempts.failed(gone('a'), 'malformed');
    attempts.missing('b');
    expect(lines).toEqual([]);
    attempts.stop();
    expect(lines).toMatchObject([
      { msg: 'failed authentications', client_address: 'a', count: 4, reasons: { unknown: 3, malformed: 1 } },
      { msg: 'failed authentications', client_address: 'b', count: 1, reasons: { missing: 1 } },
    ]);
    expect(counted).toEqual(['unknown', 'unknown', 'unknown', 'malformed', 'missing']);
    attempts.stop();
    expect(lines).toHaveLength(2);
  });

  it('stays short under a flood from many networks', () => {
    const { attempts, lines } = make();
    for (let index = 0; index < 30_000; index++) attempts.missing(`n${index}`);
    attempts.missing('n7');
    attempts.stop();
    expect(lines).toHaveLength(51);
    expect(lines[0]).toMatchObject({ client_address: 'n7', count: 2 });
    expect(lines.at(-1)).toMatchObject({ msg: 'failed authentications from further addresses' });
    expect(lines.reduce((sum, { count }) => sum + count, 0)).toBe(30_001);
  });
});

import { createLogger } from '@tollgate/common/logging';
import type { KeyUse as KeyUseMessage } from '@tollgate/proto/auth';
import { describe, expect, it } from 'vitest';
import { KeyUse } from './key-use.ts';

const silent = createLogger('test', 'silent');
const HOUR_MS = 3_600_000;

type Report = [keyId: string, atMs: number][];

/** Auth as far as reports go: it keeps those it accepts, and fails on demand. */
function fakeAuth() {
  const reports: Report[] = [];
  const state = { reports, failing: false, beforeAnswer: (): void => undefined };
  const send = async (uses: KeyUseMessage[]) => {
    await new Promise(setImmediate);
    state.beforeAnswer();
    if (state.failing) throw new Error('unavailable');
    reports.push(uses.map(({ keyId, lastUsedAtMs }) => [keyId, Number(lastUsedAtMs)]));
  };
  return { state, send };
}

function make(options: { intervalMs?: number; maxKeys?: number } = {}) {
  const { state, send } = fakeAuth();
  return { state, uses: new KeyUse({ send, logger: silent, intervalMs: HOUR_MS, ...options }) };
}

describe('the last uses of keys', () => {
  it('are reported once, the latest of each key', async () => {
    const { state, uses } = make();
    uses.used('a', 1);
    uses.used('b', 2);
    uses.used('a', 3);
    await uses.report();
    await uses.report();
    uses.used('b', 4);
    await uses.report();
    expect(state.reports).toEqual([
      [
        ['a', 3],
        ['b', 2],
      ],
      [['b', 4]],
    ]);
  });

  it('are reported at every interval', async () => {
    const { state, uses } = make({ intervalMs: 5 });
    uses.start();
    uses.used('a', 1);
    await expect.poll(() => state.reports.length).toBe(1);
    uses.used('a', 2);
    await expect.poll(() => state.reports.length).toBe(2);
    await uses.stop();
  });

  it('that could not be reported are part of the next report, unless there were later ones', async () => {
    const { state, uses } = make();
    state.failing = true;
    uses.used('a', 1);
    uses.used('b', 2);
    state.beforeAnswer = () => uses.used('a', 5);
    await uses.report();
    state.failing = false;
    state.beforeAnswer = () => undefined;
    await uses.report();
    expect(state.reports).toEqual([
      [
        ['a', 5],
        ['b', 2],
      ],
    ]);
  });

  it('are reported when the process stops, with those of the last moment', async () => {
    const { state, uses } = make();
    uses.start();
    uses.used('a', 1);
    let late = true;
    state.beforeAnswer = () => {
      if (late) uses.used('b', 2);
      late = false;
    };
    const report = uses.report();
    await uses.stop();
    await report;
    expect(state.reports).toEqual([[['a', 1]], [['b', 2]]]);
  });

  it('are reported in parts of the size that auth accepts', async () => {
    const { state, uses } = make();
    for (let index = 0; index < 25_000; index++) uses.used(`key ${index}`, index);
    await uses.report();
    expect(state.reports.map((report) => report.length)).toEqual([10_000, 10_000, 5_000]);
  });

  it('take bounded memory, whether or not auth responds', async () => {
    const { state, uses } = make({ maxKeys: 100 });
    state.failing = true;
    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < 80; index++) uses.used(`${round}/${index}`, index);
      await uses.report();
    }
    for (let index = 0; index < 50; index++) uses.used(`last/${index}`, index);
    state.failing = false;
    await uses.report();
    const reported = state.reports.flat().map(([keyId]) => keyId);
    expect(reported.length).toBe(100);
    expect(reported.filter((keyId) => keyId.startsWith('last/')).length).toBe(50);
  });
});

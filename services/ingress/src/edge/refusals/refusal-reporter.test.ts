import { createLogger } from '@tollgate/common/logging';
import type { RefusalReason } from '@tollgate/common/refusal-reasons';
import { RecordRefusalsRequest, Refusal } from '@tollgate/proto/ledger';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RefusalReporter } from './refusal-reporter.ts';

const INTERVAL_MS = 1_000;
const sent: RecordRefusalsRequest[] = [];
const counted: Record<string, number> = {};
let reachable: boolean;
let reporter: RefusalReporter;

beforeEach(() => {
  vi.useFakeTimers();
  reachable = true;
  sent.length = 0;
  for (const name of Object.keys(counted)) delete counted[name];
  const count = (name: string) => {
    counted[name] = (counted[name] ?? 0) + 1;
  };
  reporter = new RefusalReporter({
    send: async (batch) => {
      sent.push(batch);
      if (!reachable) throw new Error('the ledger is away');
    },
    metrics: { refusal: (reason) => count(reason), droppedRefusal: (reason) => count(`dropped ${reason}`) },
    logger: createLogger('test', 'silent'),
    intervalMs: INTERVAL_MS,
  });
});
afterEach(async () => {
  await reporter.stop();
  vi.useRealTimers();
});

const pass = (intervals = 1) => vi.advanceTimersByTimeAsync(intervals * INTERVAL_MS);

let number = 0;
function refuse(accountId: string, times = 1, reason: RefusalReason = 'key_deleted'): void {
  for (let time = 0; time < times; time += 1) {
    number += 1;
    const requestId = `request ${number}`;
    reporter.record(accountId, reason, () => Refusal.fromPartial({ requestId, accountId, reason }));
  }
}

const sizes = () => sent.map(({ refusals }) => refusals.length);

describe('refusals', () => {
  it('are sent together, soon, and nothing is sent without any', async () => {
    refuse('a');
    refuse('b', 2, 'rate_limited');
    reporter.countUnknownKey();
    expect(sent).toEqual([]);
    await pass();
    expect(sent).toHaveLength(1);
    expect(sent[0]?.refusals.map(({ accountId, reason }) => [accountId, reason])).toEqual([
      ['a', 'key_deleted'],
      ['b', 'rate_limited'],
      ['b', 'rate_limited'],
    ]);
    expect(sent[0]).toMatchObject({ dropped: [], unknownKeys: 1n });
    await pass(10);
    expect(sent).toHaveLength(1);
    refuse('a');
    await pass();
    expect(sizes()).toEqual([3, 1]);
  });

  it('that are too many are counted by account and reason, and not described', async () => {
    refuse('flood', 5_000);
    refuse('flood', 7, 'rate_limited');
    refuse('other', 3);
    await pass();
    expect(sizes()).toEqual([103]);
    await pass();
    expect(sent.flatMap(({ dropped }) => dropped)).toEqual([
      { accountId: 'flood', reason: 'key_deleted', count: 4_900n },
      { accountId: 'flood', reason: 'rate_limited', count: 7n },
    ]);
    expect(counted).toMatchObject({ key_deleted: 5_003, 'dropped key_deleted': 4_900, 'dropped rate_limited': 7 });
    const describe = vi.fn();
    refuse('flood', 100);
    reporter.record('flood', 'key_deleted', describe);
    expect(describe).not.toHaveBeenCalled();
  });

  it('of many accounts stay within one message', async () => {
    for (let account = 0; account < 5_000; account += 1) refuse(`account ${account}`);
    await pass();
    const [batch] = sent;
    expect(batch?.refusals).toHaveLength(1_000);
    expect(batch?.dropped).toHaveLength(1_000);
    expect(RecordRefusalsRequest.encode(batch ?? RecordRefusalsRequest.create()).finish().length).toBeLessThan(200_000);
  });

  it('that were not received are sent once more, before later ones', async () => {
    reachable = false;
    refuse('a');
    await pass();
    reachable = true;
    refuse('b');
    await pass(2);
    expect(sent.map(({ refusals }) => refusals[0]?.accountId)).toEqual(['a', 'a', 'b']);
  });

  it('take no more memory while the ledger is away, and are counted when it is back', async () => {
    reachable = false;
    for (let second = 0; second < 60; second += 1) {
      refuse('a', 500);
      reporter.countUnknownKey();
      await pass();
    }
    expect(Math.max(...sizes())).toBeLessThanOrEqual(1_000);
    sent.length = 0;
    reachable = true;
    await pass(5);
    const recorded = sizes().reduce((sum, size) => sum + size, 0);
    const dropped = sent.flatMap((batch) => batch.dropped).reduce((sum, { count }) => sum + Number(count), 0);
    expect(recorded).toBeLessThanOrEqual(200);
    expect(recorded + dropped).toBe(30_000);
    expect(sent.reduce((sum, { unknownKeys }) => sum + Number(unknownKeys), 0)).toBe(60);
  });

  it('that are left are sent at the stop, and none afterwards', async () => {
    refuse('a');
    await reporter.stop();
    expect(sizes()).toEqual([1]);
    refuse('a');
    await pass(5);
    expect(sizes()).toEqual([1]);
  });
});

it('starts no call while one is open', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const calls: number[] = [];
  const slow = new RefusalReporter({
    send: ({ refusals }) => {
      calls.push(refusals.length);
      return promise;
    },
    metrics: { refusal: () => undefined, droppedRefusal: () => undefined },
    logger: createLogger('test', 'silent'),
    intervalMs: INTERVAL_MS,
  });
  const refuseOne = () => slow.record('a', 'key_deleted', () => Refusal.fromPartial({ accountId: 'a' }));
  refuseOne();
  await pass();
  refuseOne();
  await pass(10);
  expect(calls).toEqual([1]);
  resolve();
  await pass();
  expect(calls).toEqual([1, 1]);
});

import { createLogger } from '@tollgate/common/logging';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Admission } from '../../shared/request/admission.ts';
import type { BucketLimit } from './applicable.ts';
import { KnownLevels, LocalBuckets } from './buckets.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { OpenCounts, OpenRequests } from './open-requests.ts';

const LOGGER = createLogger('test', 'silent');

describe('the buckets of one process', () => {
  it('never give more than the limit and the burst in any sliding minute, and their waits are long enough', () => {
    const step = fc.record({ gapMs: fc.nat({ max: 5_000 }), amount: fc.integer({ min: 1, max: 3 }) });
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 1, max: 600 }),
        fc.integer({ min: 3, max: 20 }),
        (steps, perMinute, size) => {
          const buckets = new LocalBuckets(10);
          const taken: { atMs: number; amount: number }[] = [];
          let nowMs = 0;
          for (const { gapMs, amount } of steps) {
            nowMs += gapMs;
            const take = [{ bucket: 'b', perMinute, size, amount }];
            const { reached } = buckets.take('tag', take, nowMs);
            if (reached === undefined) taken.push({ atMs: nowMs, amount });
            else {
              nowMs += reached.waitMs;
              expect(buckets.take('tag', take, nowMs).reached).toBeUndefined();
              taken.push({ atMs: nowMs, amount });
            }
          }
          for (const [first, { atMs }] of taken.entries()) {
            const within = taken.slice(first).filter((later) => later.atMs < atMs + 60_000);
            expect(within.reduce((sum, { amount }) => sum + amount, 0)).toBeLessThanOrEqual(size + perMinute + 1e-3);
          }
        },
      ),
    );
  });

  it('are taken from all or none, and corrected within bounds', () => {
    const buckets = new LocalBuckets(10);
    const one = { bucket: 'a', perMinute: 60, size: 10, amount: 4 };
    const other = { bucket: 'b', perMinute: 60, size: 5, amount: 5 };
    expect(buckets.take('tag', [one, other], 0)).toEqual({ reached: undefined, tokens: [6, 0] });
    expect(buckets.take('tag', [one, other], 0)).toEqual({ reached: { index: 1, waitMs: 5_000 }, tokens: [6, 0] });
    expect(buckets.take('another', [one, other], 0).reached).toBeUndefined();
    buckets.correct('tag', [{ ...one, amount: 1_000 }], 0);
    expect(buckets.take('tag', [one], 0)).toEqual({ reached: { index: 0, waitMs: 64_000 }, tokens: [-60] });
    buckets.correct('tag', [{ ...one, amount: -1_000 }], 0);
    expect(buckets.take('tag', [one], 0).tokens).toEqual([6]);
  });
});

describe('the known levels of shared buckets', () => {
  const limit: BucketLimit = { kind: 'requests', owner: 'key', bucket: 'b', perMinute: 60, size: 10 };

  it('are upper bounds, and say nothing about another limit or account', () => {
    const known = new KnownLevels(10);
    known.record('tag', limit, 2, 1_000);
    expect(known.upperBound('tag', limit, 1_000)).toBe(2);
    expect(known.upperBound('tag', limit, 4_000)).toBe(5);
    expect(known.upperBound('tag', { ...limit, perMinute: 600 }, 1_000)).toBeUndefined();
    expect(known.upperBound('other', limit, 1_000)).toBeUndefined();
    known.record('tag', limit, 2, 1_000);
    expect(known.upperBound('tag', limit, 9_000)).toBeUndefined();
  });
});

describe('the open requests of a process', () => {
  it('are limited for each account and in total', () => {
    const open = new OpenRequests(3, 2);
    expect([open.enter('a'), open.enter('a'), open.enter('a')]).toEqual([undefined, undefined, 'account_full']);
    expect([open.enter('b'), open.enter('b'), open.enter('c')]).toEqual([undefined, 'process_full', 'process_full']);
    open.leave('a');
    expect([open.enter('b'), open.enter('a'), open.total]).toEqual([undefined, 'process_full', 3]);
    for (const account of ['a', 'b', 'b']) open.leave(account);
    expect([open.total, open.enter('a'), open.enter('a')]).toEqual([0, undefined, undefined]);
  });

  it('count until the response is closed and no work on the request is left', () => {
    const events: string[] = [];
    const known = Promise.resolve();
    const admission = new Admission(() => events.push('over'));
    admission.attach({
      recordUsage: (tokens) => {
        events.push(`settled ${tokens}`);
        return known;
      },
    });
    admission.retain();
    admission.release();
    expect(events).toEqual([]);
    expect(admission.recordUsage(7)).toBe(known);
    expect(admission.recordUsage(9)).toBeUndefined();
    admission.release();
    expect(events).toEqual(['settled 7', 'over']);
  });

  it('correct at once what is taken after they were released', () => {
    const events: string[] = [];
    const admission = new Admission(() => events.push('over'));
    admission.release();
    admission.attach({
      recordUsage: async (tokens) => {
        events.push(`settled ${tokens}`);
      },
    });
    expect(events).toEqual(['over', 'settled 0']);
  });
});

describe('the counts of open requests', () => {
  it('include pending requests, and are published until all have ended', () => {
    const counts = new OpenCounts();
    expect([counts.reserve('tag', 's'), counts.reserve('tag', 's'), counts.reserve('other', 's')]).toEqual([1, 2, 1]);
    counts.accept('tag', 's');
    expect(counts.accepted('tag', 's')).toBe(1);
    counts.reject('tag', 's');
    counts.reject('other', 's');
    expect([...counts.all()]).toEqual([{ accountTag: 'tag', scope: 's', count: 1 }]);
    expect(counts.release('tag', 's')).toBe(0);
    expect([...counts.all()]).toEqual([]);
  });
});

describe('the circuit breaker of Redis', () => {
  it('lets one call through at a time after a failure, and all of them after a success', async () => {
    let nowMs = 0;
    const breaker = new CircuitBreaker(LOGGER, () => nowMs);
    expect(await breaker.run(() => Promise.resolve(1))).toBe(1);
    expect(await breaker.run(() => Promise.reject(new Error('down')))).toBeUndefined();
    expect(breaker.isHealthy).toBe(false);
    let calls = 0;
    const pending = Promise.withResolvers<number>();
    const question = () => {
      calls += 1;
      return pending.promise;
    };
    expect(await breaker.run(question)).toBeUndefined();
    expect(calls).toBe(0);
    nowMs = 10_000;
    const probe = breaker.run(question);
    expect(await breaker.run(question)).toBeUndefined();
    expect(calls).toBe(1);
    pending.resolve(2);
    expect(await probe).toBe(2);
    expect(breaker.isHealthy).toBe(true);
    expect(await Promise.all([breaker.run(question), breaker.run(question)])).toEqual([2, 2]);
  });
});

import { EventEmitter } from 'node:events';
import { createGrpcClient } from '@tollgate/common/grpc/client';
import { createLogger } from '@tollgate/common/logging';
import { type Outcome, type OutcomeBatch, OutcomeKind, RouterServiceClient } from '@tollgate/proto/router';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OutcomeQueue, OutcomeReporter, type ReportedOutcome } from './outcome-reporter.ts';

/** The router's side of the stream: acknowledges each batch at once. */
class RouterStream extends EventEmitter {
  readonly batches: OutcomeBatch[] = [];
  write(batch: OutcomeBatch): void {
    this.batches.push(batch);
    this.emit('data', { sequence: batch.sequence });
  }
  end(): void {
    this.emit('end');
  }
}

let stream: RouterStream;
let reporter: OutcomeReporter;

beforeEach(() => {
  vi.useFakeTimers();
  stream = new RouterStream();
  const router = createGrpcClient(RouterServiceClient, '127.0.0.1:9');
  vi.spyOn(router, 'reportOutcomes').mockReturnValue(stream as unknown as ReturnType<typeof router.reportOutcomes>);
  reporter = new OutcomeReporter(router, createLogger('test', 'silent'));
});
afterEach(() => {
  vi.useRealTimers();
});

function report(kind: OutcomeKind, durationMs: number): void {
  reporter.report({ deploymentId: 'd', kind, durationMs, httpStatus: 200, trace: undefined });
}

/** The durations of the calls of each batch so far. */
function batches(): number[][] {
  return stream.batches.map(({ outcomes }) =>
    outcomes.flatMap(({ durationMs, furtherDurationsMs }) => [durationMs, ...furtherDurationsMs]),
  );
}

it('sends successes within 250 ms', () => {
  report(OutcomeKind.SUCCESS, 1);
  vi.advanceTimersByTime(200);
  report(OutcomeKind.SUCCESS, 2);
  expect(batches()).toEqual([]);
  vi.advanceTimersByTime(50);
  expect(batches()).toEqual([[1, 2]]);
});

it('sends a failure within 100 ms, with the successes before it', () => {
  report(OutcomeKind.SUCCESS, 1);
  vi.advanceTimersByTime(10);
  report(OutcomeKind.FAILURE, 2);
  vi.advanceTimersByTime(90);
  report(OutcomeKind.FAILURE, 3);
  expect(batches()).toEqual([]);
  vi.advanceTimersByTime(10);
  expect(batches()).toEqual([[1, 2, 3]]);
});

it('sends what is left when it stops', async () => {
  report(OutcomeKind.SUCCESS, 1);
  await reporter.stop(5_000);
  expect(batches()).toEqual([[1]]);
});

const SAMPLED = { traceId: Buffer.alloc(16, 1), spanId: Buffer.alloc(8, 1), flags: 1 };

function outcome(overrides: Partial<ReportedOutcome> = {}): ReportedOutcome {
  return {
    deploymentId: 'd',
    kind: OutcomeKind.SUCCESS,
    durationMs: 1,
    httpStatus: 200,
    trace: undefined,
    ...overrides,
  };
}

function queueOf(outcomes: readonly ReportedOutcome[]): OutcomeQueue {
  const queue = new OutcomeQueue();
  for (const each of outcomes) queue.add(each);
  return queue;
}

/** All batches until the queue is empty. */
function batchesOf(queue: OutcomeQueue): Outcome[][] {
  const batches: Outcome[][] = [];
  while (!queue.isEmpty) batches.push(queue.takeBatch());
  return batches;
}

/** What happened to each call of a deployment, in order. */
function callsOf(outcomes: readonly (ReportedOutcome | Outcome)[], id: string): [OutcomeKind, number, number][] {
  return outcomes
    .filter(({ deploymentId }) => deploymentId === id)
    .flatMap((each) => {
      const further = 'furtherDurationsMs' in each ? each.furtherDurationsMs : [];
      return [each.durationMs, ...further].map((ms): [OutcomeKind, number, number] => [each.kind, each.httpStatus, ms]);
    });
}

describe('the queue of outcomes', () => {
  it('sends successive calls of a deployment with the same outcome as one', () => {
    const failed = { kind: OutcomeKind.FAILURE, httpStatus: 500 };
    const [batch] = batchesOf(
      queueOf([
        outcome({ durationMs: 1 }),
        outcome({ durationMs: 2, deploymentId: 'other' }),
        outcome({ durationMs: 3 }),
        outcome({ durationMs: 4, ...failed }),
        outcome({ durationMs: 5, ...failed, httpStatus: 503 }),
        outcome({ durationMs: 6 }),
        outcome({ durationMs: 7, deploymentId: 'other' }),
      ]),
    );
    expect(batch).toEqual([
      { ...outcome({ durationMs: 1 }), furtherDurationsMs: [3] },
      { ...outcome({ durationMs: 2, deploymentId: 'other' }), furtherDurationsMs: [7] },
      { ...outcome({ durationMs: 4, ...failed }), furtherDurationsMs: [] },
      { ...outcome({ durationMs: 5, ...failed, httpStatus: 503 }), furtherDurationsMs: [] },
      { ...outcome({ durationMs: 6 }), furtherDurationsMs: [] },
    ]);
  });

  it('keeps the trace of every sampled call', () => {
    const [batch] = batchesOf(
      queueOf([outcome(), outcome({ trace: SAMPLED }), outcome({ durationMs: 8 }), outcome({ trace: SAMPLED })]),
    );
    expect(batch?.map(({ trace, furtherDurationsMs }) => [trace, furtherDurationsMs])).toEqual([
      [undefined, []],
      [SAMPLED, [8]],
      [SAMPLED, []],
    ]);
  });

  it('adds nothing to what was taken', () => {
    const queue = queueOf([outcome()]);
    const taken = queue.takeBatch();
    queue.add(outcome({ durationMs: 2 }));
    expect(taken).toEqual([{ ...outcome(), furtherDurationsMs: [] }]);
    expect(queue.takeBatch()).toEqual([{ ...outcome({ durationMs: 2 }), furtherDurationsMs: [] }]);
  });

  it('keeps all calls of each deployment in order, in batches of at most 1,000 calls', () => {
    const anyOutcome = fc.record({
      deploymentId: fc.constantFrom('a', 'b'),
      kind: fc.constantFrom(OutcomeKind.SUCCESS, OutcomeKind.SUCCESS, OutcomeKind.FAILURE),
      httpStatus: fc.constantFrom(200, 500),
      durationMs: fc.nat(10_000),
      trace: fc.constantFrom(undefined, undefined, SAMPLED),
    });
    fc.assert(
      fc.property(fc.array(anyOutcome, { maxLength: 40 }), fc.integer({ min: 1, max: 150 }), (some, repeated) => {
        const outcomes = some.flatMap((each) => new Array<ReportedOutcome>(repeated).fill(each));
        const batches = batchesOf(queueOf(outcomes));
        for (const id of ['a', 'b']) expect(callsOf(batches.flat(), id)).toEqual(callsOf(outcomes, id));
        const sizes = batches.map((batch) => callsOf(batch, 'a').length + callsOf(batch, 'b').length);
        expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(1_000);
      }),
      { numRuns: 50 },
    );
  });

  it('drops the oldest calls beyond 10,000', () => {
    const outcomes = Array.from({ length: 25_000 }, (_, index) => outcome({ durationMs: index }));
    const kept = callsOf(batchesOf(queueOf(outcomes)).flat(), 'd').map(([, , ms]) => ms);
    expect(kept.length).toBeGreaterThan(8_900);
    expect(kept.length).toBeLessThanOrEqual(10_000);
    expect(kept).toEqual(outcomes.slice(-kept.length).map(({ durationMs }) => durationMs));
  });
});

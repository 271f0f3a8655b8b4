import { EventEmitter } from 'node:events';
import { createGrpcClient } from '@tollgate/common/grpc/client';
import { createLogger } from '@tollgate/common/logging';
import { type OutcomeBatch, OutcomeKind, RouterServiceClient } from '@tollgate/proto/router';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OutcomeReporter } from './outcome-reporter.ts';

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

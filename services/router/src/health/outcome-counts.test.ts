import { OutcomeKind } from '@tollgate/proto/router';
import { describe, expect, it } from 'vitest';
import { COUNTED_MS, OutcomeCounts } from './outcome-counts.ts';

const NOW = 1_700_000_000_000;
const outcome = (kind: OutcomeKind, durationMs = 10, httpStatus = 200) => ({ kind, durationMs, httpStatus });

describe('counts of outcomes', () => {
  it('are kept by kind, with the durations of successes', () => {
    const counts = new OutcomeCounts();
    counts.record(outcome(OutcomeKind.SUCCESS, 100), NOW);
    counts.record(outcome(OutcomeKind.SUCCESS, 50), NOW + 60_000);
    counts.record(outcome(OutcomeKind.FAILURE, 9, 500), NOW + 60_000);
    counts.record(outcome(OutcomeKind.TIMEOUT, 9, 0), NOW + 60_000);
    counts.record(outcome(OutcomeKind.CREDENTIAL_REFUSED, 9, 401), NOW + 60_001);
    counts.record(outcome(OutcomeKind.RATE_LIMITED, 9, 429), NOW + 60_002);
    counts.record(outcome(OutcomeKind.NEUTRAL, 9, 400), NOW + 60_003);
    expect(counts.totals(NOW + 60_004)).toMatchObject({
      successes: 2,
      failures: 1,
      timeouts: 1,
      rateLimited: 1,
      credentialsRefused: 1,
      durationMs: 150,
    });
    expect(counts).toMatchObject({
      lastSuccessAtMs: NOW + 60_000,
      lastFailureAtMs: NOW + 60_002,
      lastFailureStatus: 429,
    });
  });

  it('are forgotten after 15 minutes, when their slot is used again and when it is not', () => {
    const counts = new OutcomeCounts();
    counts.record(outcome(OutcomeKind.SUCCESS), NOW);
    expect(counts.totals(NOW + COUNTED_MS - 60_000).successes).toBe(1);
    expect(counts.totals(NOW + COUNTED_MS).successes).toBe(0);
    counts.record(outcome(OutcomeKind.SUCCESS), NOW + COUNTED_MS);
    expect(counts.totals(NOW + COUNTED_MS).successes).toBe(1);
    expect(counts.lastSuccessAtMs).toBe(NOW + COUNTED_MS);
  });
});

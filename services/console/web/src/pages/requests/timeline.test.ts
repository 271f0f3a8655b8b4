import { expect, it } from 'vitest';
import { REQUEST } from './request.fixture.ts';
import { type Request, spansOf, timelineOf, tokensPerSecond } from './timeline.ts';

it('lists what happened in order, with milliseconds', () => {
  expect(timelineOf(REQUEST).map(({ label, afterMs }) => [label, afterMs])).toEqual([
    ['Received', 0],
    ['First token', 400],
    ['Response ended', 2400],
    ['Charge committed', 2431],
  ]);
});

it('shows retries, whose times are not known', () => {
  const [, retries] = timelineOf({ ...REQUEST, retries: 2 });
  expect(retries).toMatchObject({ label: '2 retries', afterMs: null });
});

it('shows each call to a provider, and the error that the client got', () => {
  const call = { deployment: 'gpt@a', started_ms: 2, duration_ms: 1000, outcome: 'timeout', outcome_label: 'Timeout' };
  const failed: Request = {
    ...REQUEST,
    status: 'failed',
    retries: 1,
    first_token_ms: null,
    finish_reason: null,
    attempts: [
      { ...call, provider_status: null },
      {
        ...call,
        deployment: 'gpt@b',
        started_ms: 1005,
        duration_ms: 40,
        outcome_label: 'Provider error',
        provider_status: 503,
      },
    ],
    failure: { http_status: 502, error_type: 'internal_error', provider_status: 503, sentence: '', action: '' },
  };
  expect(timelineOf(failed).map(({ label, afterMs, detail }) => [label, afterMs, detail])).toEqual([
    ['Received', 0, null],
    ['Call to gpt@a', 2, 'Timeout, after 1,000 ms'],
    ['Call to gpt@b', 1005, 'Provider error, HTTP 503, after 40 ms'],
    ['Failed', 2400, 'HTTP 502, internal_error'],
    ['Charge committed', 2431, null],
  ]);
});

it.each([
  ['cancelled', 'Client disconnected'],
  ['failed', 'Failed'],
] as const)('names the end of a %s request', (status, label) => {
  expect(timelineOf({ ...REQUEST, status }).map((moment) => moment.label)).toContain(label);
});

it('does not pretend that a charge is committed', () => {
  const moments = timelineOf({ ...REQUEST, settled_at: null });
  expect(moments.at(-1)).toMatchObject({ label: 'Charge not yet committed', afterMs: null });
  expect(spansOf({ ...REQUEST, settled_at: null }).map((span) => span.id)).toEqual(['waiting', 'output']);
});

it('ends with the refusal of a refused request', () => {
  const refusal = {
    http_status: 402,
    error_type: 'insufficient_balance',
    message: '',
    sentence: '',
    action: '',
    limit: null,
  };
  const refused = { ...REQUEST, status: 'refused' as const, duration_ms: null, refusal };
  expect(timelineOf(refused).map(({ label, detail }) => [label, detail])).toEqual([
    ['Received', null],
    ['Refused', 'HTTP 402, insufficient_balance'],
  ]);
  expect(spansOf(refused)).toEqual([]);
});

it('divides the whole time into spans', () => {
  const spans = spansOf(REQUEST);
  expect(spans.map(({ id, ms }) => [id, ms])).toEqual([
    ['waiting', 400],
    ['output', 2000],
    ['commit', 31],
  ]);
  expect(spans.reduce((sum, span) => sum + span.share, 0)).toBeCloseTo(1);
});

it('measures the speed of streams only', () => {
  expect(tokensPerSecond(REQUEST)).toBe(167);
  expect(tokensPerSecond({ ...REQUEST, streamed: false })).toBeNull();
  expect(tokensPerSecond({ ...REQUEST, duration_ms: 450 })).toBeNull();
});

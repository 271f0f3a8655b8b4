import { expect, it } from 'vitest';
import { REQUEST } from './request.fixture.ts';
import { spansOf, timelineOf, tokensPerSecond } from './timeline.ts';

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
  const refusal = { http_status: 402, error_type: 'insufficient_balance', message: '', sentence: '', action: '' };
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

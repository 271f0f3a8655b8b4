import { OutgoingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Surface } from '../../shared/request/surface.ts';
import type { BucketLimit } from './applicable.ts';
import { formatDuration, limitError, setLimitHeaders } from './limit-responses.ts';
import type { LimitState } from './limiter.ts';

function state(kind: BucketLimit['kind'], perMinute: number, size: number, tokens: number): LimitState {
  return { limit: { kind, owner: 'key', bucket: 'b', perMinute, size }, tokens };
}

function headersOf(surface: Surface, states: LimitState[]): Record<string, unknown> {
  const res = new OutgoingMessage();
  setLimitHeaders(res, surface, states, Date.UTC(2026, 0, 1));
  return { ...res.getHeaders() };
}

describe('the headers of limits', () => {
  it("report the limit of each kind with the least left, in OpenAI's format", () => {
    const states = [
      state('requests', 600, 100, 42.9),
      state('requests', 60, 10, 7.5),
      state('tokens', 60_000, 10_000, -30_000),
    ];
    expect(headersOf('model', states)).toEqual({
      'x-ratelimit-limit-requests': 60,
      'x-ratelimit-remaining-requests': 7,
      'x-ratelimit-reset-requests': '2.5s',
      'x-ratelimit-limit-tokens': 60_000,
      'x-ratelimit-remaining-tokens': 0,
      'x-ratelimit-reset-tokens': '40s',
      'ratelimit-policy': '"key-tokens";q=60000;qu="token";w=60',
      ratelimit: '"key-tokens";r=0;t=40',
    });
  });

  it("report the same in Anthropic's format on its paths", () => {
    expect(headersOf('messages', [state('requests', 60, 10, 7.5), state('tokens', 6_000, 1_000, 1_000)])).toEqual({
      'anthropic-ratelimit-requests-limit': 60,
      'anthropic-ratelimit-requests-remaining': 7,
      'anthropic-ratelimit-requests-reset': '2026-01-01T00:00:02.500Z',
      'anthropic-ratelimit-tokens-limit': 6_000,
      'anthropic-ratelimit-tokens-remaining': 1_000,
      'anthropic-ratelimit-tokens-reset': '2026-01-01T00:00:00.000Z',
      'ratelimit-policy': '"key-requests";q=60;w=60',
      ratelimit: '"key-requests";r=7;t=3',
    });
  });

  it('say nothing of limits above a derived key', () => {
    const { limit, tokens } = state('requests', 60, 10, 1);
    const above: LimitState = { limit: { ...limit, owner: 'above' }, tokens };
    expect(headersOf('model', [above, state('requests', 600, 100, 42.9)])).toMatchObject({
      'x-ratelimit-limit-requests': 600,
      ratelimit: '"key-requests";r=42;t=6',
    });
    expect(headersOf('model', [above])).toEqual({});
    expect(limitError(above.limit, 1_000).message).toBe(
      'A limit of what is above the API key is reached. Retry in 1 s.',
    );
  });

  it('are absent without limits', () => {
    expect(headersOf('model', [])).toEqual({});
  });

  it.each([
    [0, '0s'],
    [20, '20ms'],
    [999, '999ms'],
    [1_000, '1s'],
    [8_640, '8.64s'],
    [60_000, '1m0s'],
    [360_000, '6m0s'],
    [61_500, '1m1.5s'],
  ])('write %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

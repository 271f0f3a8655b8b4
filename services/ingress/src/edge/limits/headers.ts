import type { OutgoingMessage } from 'node:http';
import type { Surface } from '../../shared/request/surface.ts';
import type { BucketLimit } from './applicable.ts';
import { refillMs } from './bucket-levels.ts';
import type { LimitState } from './limiter.ts';

/**
 * Reports what is left of the limits, in the headers that SDKs and agents of the protocol read. Of several limits of a
 * kind, it reports the one with the least left. Reset is when the bucket is full again without further requests.
 *
 * @param nowMs Unix milliseconds
 */
export function setLimitHeaders(
  res: OutgoingMessage,
  surface: Surface,
  states: readonly LimitState[],
  nowMs: number,
): void {
  for (const kind of ['requests', 'tokens'] as const) {
    const state = leastRemaining(states, kind);
    if (state === undefined) continue;
    const { perMinute } = state.limit;
    const remaining = Math.max(0, Math.floor(state.tokens));
    const resetMs = Math.max(0, Math.ceil(refillMs(state.limit.size - state.tokens, state.limit)));
    if (surface === 'messages') {
      res.setHeader(`anthropic-ratelimit-${kind}-limit`, perMinute);
      res.setHeader(`anthropic-ratelimit-${kind}-remaining`, remaining);
      res.setHeader(`anthropic-ratelimit-${kind}-reset`, new Date(nowMs + resetMs).toISOString());
    } else {
      res.setHeader(`x-ratelimit-limit-${kind}`, perMinute);
      res.setHeader(`x-ratelimit-remaining-${kind}`, remaining);
      res.setHeader(`x-ratelimit-reset-${kind}`, formatDuration(resetMs));
    }
  }
}

function leastRemaining(states: readonly LimitState[], kind: BucketLimit['kind']): LimitState | undefined {
  let least: LimitState | undefined;
  for (const state of states) {
    if (state.limit.kind === kind && (least === undefined || state.tokens < least.tokens)) least = state;
  }
  return least;
}

/** A duration in OpenAI's format: `0s`, `20ms`, `1.5s`, `6m0s`. */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 1_000) return `${ms}ms`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = `${(ms - minutes * 60_000) / 1_000}s`;
  return minutes === 0 ? seconds : `${minutes}m${seconds}`;
}

import type { OutgoingMessage } from 'node:http';
import { type ApiError, apiErrors } from '../../shared/errors/api-error.ts';
import { setRateLimitFields } from '../../shared/limits/ratelimit-fields.ts';
import type { Surface } from '../../shared/request/surface.ts';
import type { BucketLimit, Limit, LimitOwner } from './applicable.ts';
import { refillMs } from './buckets.ts';
import type { LimitState } from './limiter.ts';

const SUBJECTS: Record<LimitOwner, (amount: string) => string> = {
  key: (amount) => `The API key's limit of ${amount}`,
  project: (amount) => `The limit of ${amount} of the API key's project`,
  service_account: (amount) => `The service account's limit of ${amount}`,
  member: (amount) => `The member's limit of ${amount}`,
  above: () => 'A limit of what is above the API key',
  account: (amount) => `The account's limit of ${amount}`,
  model: (amount) => `The account's limit of ${amount} for this model`,
  billing: (amount) => `The account's limit of ${amount} for billing endpoints`,
};

/** The error of a request beyond a limit: names the limit and when to retry. */
export function limitError(limit: Limit, waitMs: number): ApiError {
  const reason = limit.kind === 'open' ? 'too_many_open_requests' : 'rate_limited';
  return apiErrors.limitReached(`${SUBJECTS[limit.owner](amountOf(limit))} is reached.`, waitMs, reason);
}

function amountOf(limit: Limit): string {
  switch (limit.kind) {
    case 'requests':
      return `${counted(limit.perMinute, 'request')} per minute`;
    case 'tokens':
      return `${counted(limit.perMinute, 'token')} per minute`;
    case 'open':
      return counted(limit.max, 'open request');
    default:
      return limit satisfies never;
  }
}

function counted(amount: number, what: string): string {
  return `${amount.toLocaleString('en-US')} ${what}${amount === 1 ? '' : 's'}`;
}

/**
 * Reports what is left of the limits, in the headers that SDKs and agents of the protocol read. Of several limits of a
 * kind, it reports the one with the least left. Reset is when the bucket is full again without further requests. The fields for
 * any client report the limit nearest to its end. A derived key sees nothing of limits above it.
 *
 * @param nowMs Unix milliseconds
 * @returns the share that is left of that limit; 1 without limits
 */
export function setLimitHeaders(
  res: OutgoingMessage,
  surface: Surface,
  taken: readonly LimitState[],
  nowMs: number,
): number {
  const states = taken.filter(({ limit }) => limit.owner !== 'above');
  let nearest: LimitState | undefined;
  for (const kind of ['requests', 'tokens'] as const) {
    const state = leastRemaining(states, kind);
    if (state === undefined) continue;
    if (nearest === undefined || shareOf(state) < shareOf(nearest)) nearest = state;
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
  if (nearest === undefined) return 1;
  const { limit, tokens } = nearest;
  setRateLimitFields(res, {
    name: `${limit.owner.replace('_', '-')}-${limit.kind}`,
    unit: limit.kind === 'requests' ? 'request' : 'token',
    amount: limit.perMinute,
    windowSeconds: 60,
    remaining: tokens,
    resetSeconds: Math.max(0, Math.ceil(refillMs(limit.size - tokens, limit) / 1_000)),
  });
  return shareOf(nearest);
}

function shareOf({ limit, tokens }: LimitState): number {
  return Math.max(0, tokens) / limit.size;
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

import type { RateLimits } from '@tollgate/proto/auth';
import type { z } from 'zod';
import type { limits } from '../api/settings.ts';

type Limits = z.output<typeof limits>;

/** Limits of an account or key; null: no limit. */
export function renderLimits(given: RateLimits | undefined): Limits {
  return {
    requests_per_minute: given?.requestsPerMinute === undefined ? null : Number(given.requestsPerMinute),
    tokens_per_minute: given?.tokensPerMinute === undefined ? null : Number(given.tokensPerMinute),
    open_requests: given?.openRequests ?? null,
  };
}

/** Limits as auth takes them. */
export function toRateLimits(given: Limits): RateLimits {
  return {
    requestsPerMinute: given.requests_per_minute === null ? undefined : BigInt(given.requests_per_minute),
    tokensPerMinute: given.tokens_per_minute === null ? undefined : BigInt(given.tokens_per_minute),
    openRequests: given.open_requests ?? undefined,
  };
}

import type { RateLimits as CachedLimits } from '@tollgate/common/keys/index';
import type { RateLimits } from '@tollgate/proto/auth';

/** The columns of the limits of a key or an account; null: no limit. */
export interface LimitColumns {
  requests_per_minute: bigint | null;
  tokens_per_minute: bigint | null;
  open_requests: number | null;
}

/** The wire form of limits; undefined where there are none. */
export function rateLimits(row: LimitColumns): RateLimits | undefined {
  const { requests_per_minute: requests, tokens_per_minute: tokens, open_requests: open } = row;
  if (requests === null && tokens === null && open === null) return undefined;
  return {
    requestsPerMinute: requests ?? undefined,
    tokensPerMinute: tokens ?? undefined,
    openRequests: open ?? undefined,
  };
}

/** The form of limits in the cache of keys. */
export function cachedLimits(row: LimitColumns): CachedLimits | undefined {
  const limits = rateLimits(row);
  if (limits === undefined) return undefined;
  const { requestsPerMinute, tokensPerMinute, openRequests } = limits;
  return {
    requestsPerMinute: requestsPerMinute === undefined ? undefined : Number(requestsPerMinute),
    tokensPerMinute: tokensPerMinute === undefined ? undefined : Number(tokensPerMinute),
    openRequests,
  };
}

/** The columns of limits as they came over the wire. */
export function limitColumns(limits: RateLimits | undefined): LimitColumns {
  return {
    requests_per_minute: limits?.requestsPerMinute ?? null,
    tokens_per_minute: limits?.tokensPerMinute ?? null,
    open_requests: limits?.openRequests ?? null,
  };
}

import type { RateLimits } from '@tollgate/proto/auth';
import type { Json } from '../terminal/print.ts';

/** Limits as text. */
export function limitsText(limits: RateLimits | undefined): string {
  const named: [bigint | number | undefined, string][] = [
    [limits?.requestsPerMinute, 'requests a minute'],
    [limits?.tokensPerMinute, 'tokens a minute'],
    [limits?.openRequests, 'open at once'],
  ];
  const texts = named.flatMap(([value, name]) => (value === undefined ? [] : [`${value} ${name}`]));
  return texts.length === 0 ? 'none' : texts.join(', ');
}

/** Limits as JSON; null where there are none. */
export function limitsJson(limits: RateLimits | undefined): Json {
  if (limits === undefined) return null;
  const number = (value: bigint | number | undefined) => (value === undefined ? null : Number(value));
  return {
    requests_per_minute: number(limits.requestsPerMinute),
    tokens_per_minute: number(limits.tokensPerMinute),
    open_requests: number(limits.openRequests),
  };
}

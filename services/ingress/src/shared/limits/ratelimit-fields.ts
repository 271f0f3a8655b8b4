import type { OutgoingMessage } from 'node:http';

/** Integers of structured fields have at most 15 digits. */
const MAX_INTEGER = 999_999_999_999_999;

/** How much of a limit is left, as the fields `RateLimit-Policy` and `RateLimit` tell it. */
export interface Quota {
  /** Whose limit it is, and on what: `key-day`, `service-account-month`, `account-requests`. Letters and hyphens only. */
  name: string;
  unit: 'request' | 'token' | 'microdollar';
  amount: number;
  /** Undefined: the limit never starts again. */
  windowSeconds: number | undefined;
  remaining: number;
  /** Until all of it is left again without further requests. */
  resetSeconds: number | undefined;
}

/** Reports a limit in the fields of draft-ietf-httpapi-ratelimit-headers, instead of any that was reported before. */
export function setRateLimitFields(
  res: OutgoingMessage,
  { name, unit, amount, windowSeconds, remaining, resetSeconds }: Quota,
): void {
  // The draft's default unit is one request.
  const quotaUnit = unit === 'request' ? '' : `;qu="${unit}"`;
  const window = windowSeconds === undefined ? '' : `;w=${windowSeconds}`;
  const reset = resetSeconds === undefined ? '' : `;t=${resetSeconds}`;
  res.setHeader('ratelimit-policy', `"${name}";q=${integer(amount)}${quotaUnit}${window}`);
  res.setHeader('ratelimit', `"${name}";r=${integer(remaining)}${reset}`);
}

function integer(amount: number): number {
  return Math.min(MAX_INTEGER, Math.max(0, Math.floor(amount)));
}

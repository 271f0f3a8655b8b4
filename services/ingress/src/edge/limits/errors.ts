import { type ApiError, apiErrors } from '../../shared/errors/api-error.ts';
import type { Limit, LimitOwner } from './applicable.ts';

const SUBJECTS: Record<LimitOwner, (amount: string) => string> = {
  key: (amount) => `The API key's limit of ${amount}`,
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

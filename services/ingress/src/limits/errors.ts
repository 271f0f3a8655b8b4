import { type ApiError, apiErrors } from '../errors/api-error.ts';
import type { Limit, LimitOwner } from './applicable.ts';
import type { AtCapacity } from './open-requests.ts';

const OWNERS: Record<LimitOwner, string> = {
  key: "The API key's limit of",
  account: "The account's limit of",
  model: "The account's limit for this model of",
  billing: "The account's limit of billing calls,",
};

/** A full process is expected to have capacity again soon, or another one has. */
const RETRY_AFTER_MS = 1_000;

/** The error of a request beyond a limit: says which limit, and when to retry. */
export function limitReached(limit: Limit, waitMs: number): ApiError {
  return apiErrors.limitReached(`${OWNERS[limit.owner]} ${amountOf(limit)} is used up.`, waitMs);
}

/** The error of a request for which this process has no capacity. */
export function atCapacity(reason: AtCapacity): ApiError {
  switch (reason) {
    case 'account_full':
      return apiErrors.limitReached(
        'The account has reached the number of open requests that one server accepts.',
        RETRY_AFTER_MS,
      );
    case 'process_full':
      return apiErrors.overloaded(RETRY_AFTER_MS);
    default:
      return reason satisfies never;
  }
}

function amountOf(limit: Limit): string {
  switch (limit.kind) {
    case 'requests':
      return `${counted(limit.perMinute, 'request')} per minute`;
    case 'tokens':
      return `${counted(limit.perMinute, 'token')} per minute`;
    case 'open':
      return `${counted(limit.max, 'request')} open at once`;
    default:
      return limit satisfies never;
  }
}

function counted(amount: number, what: string): string {
  return `${amount.toLocaleString('en-US')} ${what}${amount === 1 ? '' : 's'}`;
}

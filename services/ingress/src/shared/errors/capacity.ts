import { type ApiError, apiErrors } from './api-error.ts';

/** Why this process has no capacity for a request: the account's share, or all of it, is in use. */
export type CapacityReason = 'account_full' | 'process_full';

/** Capacity is expected to be free again soon, here or in another process. */
const RETRY_AFTER_MS = 1_000;

/** The error of a request beyond the maximum number of open requests. */
export function openRequestsError(reason: CapacityReason): ApiError {
  return reason === 'process_full'
    ? apiErrors.overloaded(RETRY_AFTER_MS)
    : apiErrors.limitReached(
        'The account has reached the maximum number of open requests of one server.',
        RETRY_AFTER_MS,
        'too_many_open_requests',
      );
}

/** The error of a request whose bytes did not fit into memory in time. */
export function memoryError(reason: CapacityReason): ApiError {
  return reason === 'process_full'
    ? apiErrors.noMemory(RETRY_AFTER_MS)
    : apiErrors.limitReached(
        "The account's open requests use all the memory that one server grants an account.",
        RETRY_AFTER_MS,
        'too_much_memory',
      );
}

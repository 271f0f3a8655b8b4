import { type ApiError, apiErrors } from '../errors/api-error.ts';
import type { BudgetShortage } from './buffer-budget.ts';

const RETRY_AFTER_MS = 1_000;

/** The error for a request whose bytes did not fit into the budget in time. */
export function bufferShortageError(reason: BudgetShortage): ApiError {
  switch (reason) {
    case 'account_full':
      return apiErrors.limitReached(
        "The account's open requests use all the memory that one server gives to an account. Retry when some have ended.",
        RETRY_AFTER_MS,
      );
    case 'process_full':
      return apiErrors.noMemory(RETRY_AFTER_MS);
    default:
      return reason satisfies never;
  }
}

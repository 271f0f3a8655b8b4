import { type ApiError, apiErrors } from '../errors/api-error.ts';
import type { BudgetRefusal } from './buffer-budget.ts';

const RETRY_AFTER_MS = 1_000;

/** The refusal of a request for whose bytes there was no room in time. */
export function noRoom(reason: BudgetRefusal): ApiError {
  switch (reason) {
    case 'account_full':
      return apiErrors.limitReached(
        "The account's open requests hold as many bytes as one server takes of an account.",
        RETRY_AFTER_MS,
      );
    case 'process_full':
      return apiErrors.noMemory(RETRY_AFTER_MS);
    default:
      return reason satisfies never;
  }
}

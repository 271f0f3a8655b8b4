import { ApiError } from '../src/shared/errors/api-error.ts';

/** Status and message of the ApiError that `work` throws; `accepted` where there is none. */
export function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.message}`;
    throw error;
  }
  return 'accepted';
}

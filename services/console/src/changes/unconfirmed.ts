import { status } from '@grpc/grpc-js';
import { isGrpcError } from '@tollgate/common/errors';
import { ApiError } from '../http/api-error.ts';

/** Time limit of changes that auth returns once every ingress has confirmed them. */
export const CHANGE_DEADLINE_MS = 15_000;

/**
 * Whether auth has made a change, but not every ingress has confirmed it in time. An auth that does not respond has the same
 * status, and may not have made it.
 */
export function isUnconfirmed(error: unknown): boolean {
  if (!isGrpcError(error) || error.code !== status.DEADLINE_EXCEEDED) return false;
  return error.details.includes('not every ingress has confirmed');
}

/**
 * Reports a change that not every ingress has confirmed as such, instead of as a service that does not respond.
 *
 * @param done what has been done, such as `The key is changed`
 */
export async function reportUnconfirmed<T>(change: Promise<T>, done: string): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (!isUnconfirmed(error)) throw error;
    const message = `${done}, but not every ingress has confirmed it in time. Repeat the call to wait for the others.`;
    throw new ApiError('unavailable', message, { cause: error, retryAfterS: 1 });
  }
}

import { status } from '@grpc/grpc-js';
import { isGrpcError } from '@tollgate/common/errors';
import { apiErrors } from '../errors/api-error.ts';

/** How long a billing call to the ledger may take, the wait for a young charge included. */
export const LOOKUP_DEADLINE_MS = 5_000;

/** Puts a failed call to the ledger in the words of the billing endpoints. `what` names the thing looked for. */
export async function lookup<T>(what: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isGrpcError(error)) throw error;
    switch (error.code) {
      case status.NOT_FOUND:
        throw apiErrors.recordNotFound(what);
      case status.INVALID_ARGUMENT:
        throw apiErrors.invalidRequest(error.details);
      case status.UNAVAILABLE:
      case status.DEADLINE_EXCEEDED:
      case status.RESOURCE_EXHAUSTED:
        throw apiErrors.unavailable('The ledger');
      default:
        throw error;
    }
  }
}

import { status } from '@grpc/grpc-js';
import { isGrpcError } from '@tollgate/common/errors';
import { apiErrors } from '../../shared/errors/api-error.ts';

/** Maximum duration of a billing call to the ledger, including the wait for a pending charge. */
export const LEDGER_DEADLINE_MS = 5_000;

/** Turns the error of a ledger call into one of the billing endpoints. `what` names the requested thing. */
export async function callLedger<T>(what: string, call: Promise<T>): Promise<T> {
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

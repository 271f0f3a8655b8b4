import { type ServiceError, status } from '@grpc/grpc-js';
import { isGrpcError } from '@tollgate/common/errors';

/** A command that could not do its work. The message is one line for the person who called it. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

/** A command that was called wrongly, such as with an amount that is no number. */
export class UsageFailure extends Error {
  override readonly name = 'UsageFailure';
}

/** Makes one clear line of what a call to a service failed with. Other errors are given back as they are. */
export function toCommandFailure(error: unknown, service: string, address: string): unknown {
  if (!isGrpcError(error)) return error;
  return new CommandFailure(describe(error, service, address), { cause: error });
}

function describe(error: ServiceError, service: string, address: string): string {
  switch (error.code) {
    case status.UNAVAILABLE:
    case status.DEADLINE_EXCEEDED:
      return `the ${service} service at ${address} did not answer: ${error.details}`;
    case status.UNIMPLEMENTED:
      return `what answers at ${address} is not a ${service} service that knows this call`;
    case status.INTERNAL:
    case status.UNKNOWN:
      return `the ${service} service at ${address} failed: ${error.details}`;
    default:
      return error.details;
  }
}
